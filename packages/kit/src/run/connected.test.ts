import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bearer, type Connected, defineIntegration, url } from '../index.ts'
import { lint } from '../lint/lint.ts'
import type { DeclaredFact } from '../spec/facts.ts'
import { type LocalServer, startLocalServer } from '../test/local-server.ts'

const SITES = [
  { id: 's1', name: 'Acme', scopes: ['read:jira-work'] },
  { id: 's2', name: '', url: 'https://b.example', scopes: ['read:jira-work'] },
  { id: 's3', name: 'Wiki', scopes: ['read:wiki'] },
]
const SITE: DeclaredFact = {
  name: 'cloud_id',
  title: 'Site',
  path: '/sites',
  list: '',
  value: 'id',
  label: ['name', 'url'],
}

describe('CONNECTED', () => {
  let server: LocalServer
  let responseBody: unknown
  let status = 200
  let requests = 0
  before(async () => {
    server = await startLocalServer((_request, response) => {
      requests += 1
      response.writeHead(status).end(JSON.stringify(responseBody))
    })
  })
  after(() => server.close())

  function define(facts: readonly DeclaredFact[], connected?: () => Promise<Connected>) {
    return defineIntegration({
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
      after: facts,
      ...(connected && { connected }),
    })
  }

  async function connect(fact: DeclaredFact | readonly DeclaredFact[], body: unknown, more = {}) {
    responseBody = body
    requests = 0
    const config = { authType: 'Token', api_key: 'k', base_url: server.origin, ...more }
    return define([fact].flat())('CONNECTED', { config })
  }

  it('returns the items of a list with the first label that has a value', async () => {
    assert.deepEqual(await connect(SITE, SITES), {
      facts: {},
      choices: {
        cloud_id: [
          { value: 's1', label: 'Acme' },
          { value: 's2', label: 'https://b.example' },
          { value: 's3', label: 'Wiki' },
        ],
      },
    })
  })

  it('leaves out items that do not match, and a list without any is empty', async () => {
    const choices = async (where: DeclaredFact['where']) => {
      const result = (await connect({ ...SITE, ...(where && { where }) }, SITES)) as Connected
      return result.choices?.cloud_id?.map(({ value }) => value)
    }
    assert.deepEqual(await choices({ scopes: { contains: 'jira' } }), ['s1', 's2'])
    assert.deepEqual(await choices({ name: 'Wiki' }), ['s3'])
    assert.deepEqual(await choices({ name: ['Wiki', 'Acme'] }), ['s1', 's3'])
    assert.deepEqual(await choices({ id: { startsWith: 's' }, name: 'Nothing' }), [])
  })

  it('reads one object, and several facts from one request', async () => {
    const region = { name: 'region', title: 'Region', path: '/info', value: 'data.region' }
    const plan = { name: 'plan', title: 'Plan', path: '/info', value: 'plan' }
    assert.deepEqual(await connect([region, plan], { data: { region: 'eu' }, plan: 7 }), {
      facts: { region: { value: 'eu' }, plan: { value: '7' } },
      choices: {},
    })
    assert.equal(requests, 1)
    assert.deepEqual(await connect(region, { data: {} }), { facts: {}, choices: {} })
  })

  it('reads a claim of the ID token, otherwise of the access token', async () => {
    const token = (claims: object) =>
      `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
    const tenant = { name: 'tenant', title: 'Tenant', claim: 'org.id', label: 'ignored' }
    const tokens = {
      id_token: token({ org: { id: 'Ä–1' } }),
      access_token: token({ org: { id: '2' } }),
    }
    assert.deepEqual(await connect(tenant, {}, tokens), {
      facts: { tenant: { value: 'Ä–1' } },
      choices: {},
    })
    const access = { access_token: tokens.access_token, id_token: 'opaque' }
    assert.deepEqual(await connect(tenant, {}, access), {
      facts: { tenant: { value: '2' } },
      choices: {},
    })
    const none = { facts: {}, choices: {} }
    for (const access_token of ['opaque', 'a.b.c', 'a.!.c', token({}), 7])
      assert.deepEqual(await connect(tenant, {}, { access_token }), none)
    assert.equal(requests, 0)
  })

  it('is bounded: of 100,000 items 500 are returned, and labels have at most 500 characters', async () => {
    const items = Array.from({ length: 100_000 }, (_, id) => ({ id, name: '<b>'.repeat(400) }))
    const { choices } = (await connect(SITE, items)) as Required<Connected>
    assert.equal(choices.cloud_id?.length, 500)
    assert.equal(choices.cloud_id?.[0]?.label?.length, 500)
  })

  it('is a failed check for a list that is no list, and for a request that fails', async () => {
    for (const body of [{ id: 's1' }, 'sites', 7, null]) {
      const result = (await connect(SITE, body)) as { code: string }
      assert.equal(result.code, 'unexpected_answer')
    }
    status = 403
    const result = (await connect(SITE, SITES)) as { status: boolean; code: string }
    assert.deepEqual([result.status, result.code], [false, 'insufficient_scope'])
    status = 200
  })

  it('ignores items whose value is no text and no number', async () => {
    const items = [{ id: null }, { id: {} }, { id: '' }, { id: ['s'] }, 'x', null, { id: 0 }]
    const { choices } = (await connect(SITE, items)) as Required<Connected>
    assert.deepEqual(choices.cloud_id, [{ value: '0' }])
  })

  it('lets code find what no request gives', async () => {
    const found = { choices: { cloud_id: [{ value: 's1', label: 'Acme' }] } }
    const main = define([{ name: 'cloud_id', title: 'Site' }], async () => found)
    const config = { authType: 'Token', api_key: 'k', base_url: server.origin }
    assert.deepEqual(await main('CONNECTED', { config }), { facts: {}, ...found })
    assert.deepEqual(
      lint(main.definition).filter((error) => error.includes('fact')),
      [],
    )
  })

  it('is linted: names, sources and picks', () => {
    const facts = [
      { name: 'api_key', title: 'Key', path: '/x', value: 'id' },
      { name: 'base_url', title: 'Base', path: '/x', value: 'id' },
      { name: 'site', title: 'Site' },
      { name: 'both', title: 'Both', path: '/x', value: 'x', claim: 'y' },
      { name: 'one', title: 'One', path: '/x', value: 'x', pick: 'first' as const },
      { name: 'one', title: 'One', path: '/${two}' },
    ]
    const { definition } = define(facts)
    assert.deepEqual(
      lint(definition).filter((error) => error.includes('fact') || error.includes('two')),
      [
        'Token: ${two} has no value.',
        'Token: the fact api_key has the name of a field.',
        'Token: the fact api_key has a name that may stand for a credential.',
        'Token: the fact base_url has the name of a field.',
        'Token: the fact site has neither a request nor a claim.',
        'Token: the fact both has both a request and a claim.',
        'Token: the fact one has a pick without a list.',
        'Token: the fact one is declared twice.',
        'Token: the fact one needs the path of its value.',
      ],
    )
  })
})
