import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bearer, defineIntegration, url } from '../index.ts'
import type { DeclaredIdentity } from '../spec/check-rules.ts'
import { type LocalServer, startLocalServer } from '../test/local-server.ts'

describe('IDENTITY', () => {
  let server: LocalServer
  let responseBody: unknown
  let status = 200
  before(async () => {
    server = await startLocalServer((_request, response) =>
      response.writeHead(status).end(JSON.stringify(responseBody)),
    )
  })
  after(() => server.close())

  async function fetchIdentity(identity: DeclaredIdentity, body: unknown): Promise<unknown> {
    responseBody = body
    const main = defineIntegration({
      key: 'acme',
      name: 'Acme',
      category: 'OTHER',
      version: '1.0.0',
      docs: 'https://acme.test/docs',
      hosts: 'any',
      apiBaseUrl: '${base_url}',
      inputs: { base_url: url('Address') },
      auth: { Token: bearer() },
      check: { path: '/me' },
      identity,
    })
    const config = { authType: 'Token', api_key: 'k', base_url: server.origin, realm: 'r-1' }
    return main('IDENTITY', { config })
  }

  it('is read from the response, by the first path with a value', async () => {
    const identity = { id: 'data.id', label: ['name', 'email'], avatarUrl: ['a', 'b'] }
    const body = { data: { id: 7 }, name: '', email: 'ann@acme.test', b: 'https://acme.test/b' }
    assert.deepEqual(await fetchIdentity(identity, body), {
      id: '7',
      label: 'ann@acme.test',
      avatarUrl: 'https://acme.test/b',
    })
  })

  it('combines several values into one text: from the response, otherwise from the config', async () => {
    const identity = {
      id: '${team.id}/${realm}',
      label: ['${first} ${last}', '${first} (${team.id})'],
    }
    const team = { id: 'T1' }
    assert.deepEqual(await fetchIdentity(identity, { team, first: 'Ann', last: 'Lee' }), {
      id: 'T1/r-1',
      label: 'Ann Lee',
    })
    assert.deepEqual(await fetchIdentity(identity, { team, first: 'Ann', realm: 'r-2' }), {
      id: 'T1/r-2',
      label: 'Ann (T1)',
    })
  })

  it('is empty if a part of the id is missing; the label defaults to the id', async () => {
    const identity = { id: '${team.id}/${user}', label: 'name' }
    await assert.rejects(
      fetchIdentity(identity, { user: 'U1' }),
      /no identity at \$\{team\.id\}\/\$\{user\}\.$/,
    )
    const paths = { id: ['data.id', 'id'], label: 'name' }
    await assert.rejects(fetchIdentity(paths, []), /no identity at data\.id,id\.$/)
    const expectedIdentity = await fetchIdentity(identity, { user: 'U1', team: { id: 0 } })
    assert.deepEqual(expectedIdentity, { id: '0/U1', label: '0/U1' })
  })

  it('fails with the status when the provider rejects the request', async () => {
    status = 403
    await assert.rejects(fetchIdentity({ id: 'id', label: 'id' }, { id: 1 }), /Acme .*403/)
    status = 200
  })
})
