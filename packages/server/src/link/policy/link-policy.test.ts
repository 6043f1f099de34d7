import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  countRows,
  created,
  fine,
  refused,
  startWorld,
  type World,
} from '../../../test/fixtures.ts'
import { describePostgres } from '../../../test/postgres.ts'

describe('a link with limits and lists', () => {
  policy(() => undefined)
})

describePostgres('a link with limits and lists, on PostgreSQL', (server) => {
  policy(() => server().createDatabase('link_policy'))
})

function policy(url: () => Promise<string> | undefined): void {
  let t: World
  let integrationDefinitionId: string | undefined
  before(async () => {
    const database = await url()
    t = await startWorld(database === undefined ? {} : { url: database })
    integrationDefinitionId = (await t.define()).integrationDefinitionId
  })
  after(() => t.close())

  const post = (more: object) => t.call('POST', '/v1/link', { body: { linkName: 'a', ...more } })
  const make = async (more: object): Promise<string> => created(await post(more)).linkId
  const get = async (linkId: string) => fine(await t.call('GET', `/v1/link/${linkId}`))
  const add = (linkId: string, more: object = {}, token = t.token) =>
    t.call('POST', `/v1/integration_account/link/${linkId}`, {
      body: {
        integrationDefinitionId,
        integrationAccountName: 'a',
        authType: 'Api Key',
        config: { api_key: 'works', base_url: t.origin.url },
        ...more,
      },
      token,
    })
  const remove = async ({ integrationAccountId }: Record<string, string>) =>
    fine(await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`))

  it('201: is answered with them by create, get and list', async () => {
    const given = {
      maxAccounts: 1_000_000,
      maxAccountsPerIdentifier: 1,
      allowedOrigins: ['https://app.example.com', 'http://localhost:5173'],
      redirectURLs: ['https://app.example.com/connected?tab=1'],
    }
    const link = created(await post(given))
    const shown = ({
      maxAccounts,
      maxAccountsPerIdentifier,
      allowedOrigins,
      redirectURLs,
    }: typeof given) => ({ maxAccounts, maxAccountsPerIdentifier, allowedOrigins, redirectURLs })
    assert.deepEqual(shown(link), given)
    assert.deepEqual(shown(await get(link.linkId)), given)
    const listed = fine(await t.call('GET', '/v1/link')).at(-1)
    assert.deepEqual(listed, link)
  })

  it('201: null and absent mean none', async () => {
    const nothing = {
      maxAccounts: null,
      maxAccountsPerIdentifier: null,
      allowedOrigins: null,
      redirectURLs: null,
    }
    for (const given of [nothing, {}, { allowedOrigins: [], redirectURLs: [] }]) {
      const link = created(await post(given))
      const { maxAccounts, maxAccountsPerIdentifier, allowedOrigins, redirectURLs } = link
      assert.deepEqual(
        [maxAccounts, maxAccountsPerIdentifier, allowedOrigins, redirectURLs],
        [null, null, [], []],
      )
    }
  })

  it('400: names every field and every entry that is wrong, and makes nothing', async () => {
    const before = await countRows(t, 'links')
    for (const name of ['maxAccounts', 'maxAccountsPerIdentifier'])
      for (const value of [0, -1, 1_000_001, 1.5, '3', true, []])
        assert.deepEqual(
          Object.keys(refused(await post({ [name]: value }), 'validation_failed').errors),
          [name],
        )
    for (const name of ['allowedOrigins', 'redirectURLs'])
      for (const value of [
        'https://a.example',
        {},
        Array.from({ length: 101 }, (_, n) => `https://a${n}.example`),
        Array(2).fill('https://a.example'),
      ])
        assert.deepEqual(
          Object.keys(refused(await post({ [name]: value }), 'validation_failed').errors),
          [name],
        )
    const { errors } = refused(
      await post({
        allowedOrigins: ['https://a.example', 'https://*.a.example'],
        redirectURLs: ['http://a.example/', 'https://a.example/', 'https://a.example/#x'],
      }),
      'validation_failed',
    )
    assert.deepEqual(Object.keys(errors), ['allowedOrigins.1', 'redirectURLs.0', 'redirectURLs.2'])
    assert.equal(await countRows(t, 'links'), before)
  })

  it('400 link_full: before the provider is asked; a deleted account makes room', async () => {
    const linkId = await make({ maxAccounts: 1 })
    const account = created(await add(linkId))
    t.origin.requests.length = 0
    refused(await add(linkId), 'link_full')
    assert.deepEqual(t.origin.requests, [])
    await remove(account)
    created(await add(linkId))
    refused(await add(linkId), 'link_full')
    created(await add(await make({ maxAccounts: 1 })))
  })

  it('400 link_identifier_full: each identifier is a group of its own, and so are accounts without one', async () => {
    const linkId = await make({ maxAccountsPerIdentifier: 1, maxAccounts: 3 })
    for (const more of [{ accountIdentifier: 'ada' }, { accountIdentifier: 'Ada' }, {}]) {
      created(await add(linkId, more))
      const answer = await add(linkId, more)
      assert.ok(['link_identifier_full', 'link_full'].includes(answer.body.error), answer.text)
    }
    refused(await add(linkId, { accountIdentifier: 'bob' }), 'link_full')
  })

  it('400: is decided when the account is stored, whatever was true before', async () => {
    const linkId = await make({ maxAccounts: 1 })
    t.origin.serve('/slow/check', async (_request, response) => {
      created(await add(linkId))
      response.end('{}')
    })
    const config = { api_key: 'works', base_url: `${t.origin.url}/slow` }
    refused(await add(linkId, { config }), 'link_full')
    assert.equal((await get(linkId)).integrationAccounts.length, 1)
  })

  it('counts attempts, successes and why the others came to nothing', async () => {
    const linkId = await make({ maxAccounts: 1 })
    const stranger = await t.stranger()
    refused(await add(linkId, {}, stranger.token), 'link_not_found')
    const wrong = { api_key: 'wrong', base_url: t.origin.url }
    refused(await add(linkId, { config: wrong }), 'credentials_rejected')
    created(await add(linkId))
    for (let index = 0; index < 2; index += 1) refused(await add(linkId), 'link_full')
    await t.counters.flush()
    const { counters, refusals } = await get(linkId)
    assert.deepEqual(counters, { opens: 0, attempts: 4, successes: 1 })
    assert.deepEqual(refusals, [
      { code: 'link_full', count: 2 },
      { code: 'credentials_rejected', count: 1 },
    ])
  })
}
