import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { created, fine, refused } from '../../test/fixtures.ts'
import { describePostgres } from '../../test/postgres.ts'
import { HOME } from './test/oauth-world.ts'
import {
  ISSUER,
  isPage,
  json,
  returned,
  type StubWorld,
  startStubWorld,
} from './test/stub-world.ts'

const OWN = 'https://other.example/back'

describe('signing in through a link with limits and lists', () => {
  policy(() => undefined)
})

describePostgres('signing in through a link with limits and lists, on PostgreSQL', (server) => {
  policy(() => server().createDatabase('link_sign_in'))
})

function policy(url: () => Promise<string> | undefined): void {
  let t: StubWorld
  before(async () => {
    const database = await url()
    t = await startStubWorld(database === undefined ? {} : { url: database })
  })
  after(() => t.close())
  beforeEach(() => {
    t.tokenRequests.length = 0
    t.answer = json(200, { access_token: 'at', refresh_token: 'rt' })
  })

  const make = async (more: object = {}): Promise<string> =>
    created(await t.call('POST', '/v1/link', { body: { linkName: 'a', ...more } })).linkId
  const start = (body: object) =>
    t.call('POST', '/v1/oauth', {
      body: {
        integrationDefinitionId: t.definitionId,
        integrationAccountName: 'a',
        redirectURL: HOME,
        confirm: false,
        ...body,
      },
    })
  const back = (state: string) => t.back({ state, code: 'c', iss: ISSUER })
  const accountOf = async (body: Record<string, unknown>) =>
    String(returned(await t.through(body)).integrationAccountId)

  it('400 link_full, link_identifier_full: at the start, before anybody is sent away', async () => {
    const linkId = await make({ maxAccounts: 2, maxAccountsPerIdentifier: 1 })
    await accountOf({ linkId, accountIdentifier: 'ada' })
    refused(await start({ linkId, accountIdentifier: 'ada' }), 'link_identifier_full')
    await accountOf({ linkId })
    refused(await start({ linkId, accountIdentifier: 'bob' }), 'link_full')
  })

  it('a link that filled up meanwhile shows a page that says so, and asks the provider for nothing', async () => {
    const linkId = await make({ maxAccounts: 1 })
    const page = await t.start({ linkId })
    const state = await t.begin(await t.start({ linkId }))
    await accountOf({ linkId })
    t.tokenRequests.length = 0
    isPage(await t.browser.get(page), 400)
    assert.equal(returned(await back(state)).error, 'link_full')
    assert.equal(t.tokenRequests.length, 0, 'no code is used')
  })

  it('a link that fills up while the provider answers takes nothing more', async () => {
    const linkId = await make({ maxAccounts: 1 })
    const other = await t.begin(await t.start({ linkId }))
    const state = await t.begin(await t.start({ linkId }))
    t.answer = async (response) => {
      t.answer = json(200, { access_token: 'at', refresh_token: 'rt' })
      assert.equal(returned(await back(other)).success, 'true')
      await json(200, { access_token: 'at2', refresh_token: 'rt2' })(response)
    }
    assert.equal(returned(await back(state)).error, 'link_full')
  })

  it('an account that waits to be confirmed has its place, and can be confirmed when the link is full', async () => {
    const linkId = await make({ maxAccounts: 1 })
    const { confirmToken } = returned(await t.through({ linkId, confirm: true }))
    refused(await start({ linkId }), 'link_full')
    const body = { confirmToken }
    assert.equal(fine(await t.call('POST', '/v1/oauth/confirm', { body })).status, 'active')
  })

  it('a reconnect needs no room', async () => {
    const linkId = await make({ maxAccounts: 1, maxAccountsPerIdentifier: 1 })
    const id = await accountOf({ linkId, accountIdentifier: 'ada' })
    assert.equal(await accountOf({ linkId, integrationAccountId: id }), id)
    const held = returned(await t.through({ linkId, integrationAccountId: id, confirm: true }))
    const body = { confirmToken: held.confirmToken }
    assert.equal(fine(await t.call('POST', '/v1/oauth/confirm', { body })).integrationAccountId, id)
    assert.equal(await accountOf({ integrationAccountId: id }), id, 'nor without the link')
  })

  it('a reconnect moves no account to an identifier that is full', async () => {
    const linkId = await make({ maxAccountsPerIdentifier: 1 })
    await accountOf({ linkId, accountIdentifier: 'ada' })
    const id = await accountOf({ linkId, accountIdentifier: 'bob' })
    for (const more of [{ linkId }, {}]) {
      const move = { ...more, integrationAccountId: id, accountIdentifier: 'ada' }
      assert.equal(returned(await t.through(move)).error, 'link_identifier_full')
    }
    assert.equal(await accountOf({ integrationAccountId: id, accountIdentifier: 'cyd' }), id)
  })

  it('400 unknown_reference: reconnects through a link only what was made through it', async () => {
    const linkId = await make()
    const mine = await accountOf({ linkId })
    const others = [await accountOf({ linkId: await make() }), await accountOf({})]
    const told = new Set<string>()
    for (const id of [...others, `acc_${'0'.repeat(26)}`, 'nonsense']) {
      const answer = await start({ linkId, integrationAccountId: id })
      const { errors, message } = refused(answer, 'unknown_reference')
      assert.deepEqual(Object.keys(errors), ['integrationAccountId'])
      told.add(message)
    }
    assert.equal(told.size, 1, 'told like one that does not exist')
    assert.equal(await accountOf({ linkId, integrationAccountId: mine }), mine)
  })

  it("goes back to the link's own redirectURLs, and to none of the workspace's", async () => {
    const linkId = await make({ redirectURLs: [OWN] })
    refused(await start({ linkId, redirectURL: HOME }), 'redirect_url_not_allowed')
    refused(await start({ redirectURL: OWN }), 'redirect_url_not_allowed')
    const state = await t.begin(await t.start({ linkId, redirectURL: OWN }))
    const { location } = await back(state)
    const url = new URL(location ?? '')
    assert.equal(url.origin + url.pathname, OWN)
    assert.equal(url.searchParams.get('success'), 'true')
  })

  it('counts starts and how they ended', async () => {
    const linkId = await make({ maxAccounts: 1 })
    const state = await t.begin(await t.start({ linkId }))
    await accountOf({ linkId })
    assert.equal(returned(await back(state)).error, 'link_full')
    refused(await start({ linkId }), 'link_full')
    const { token } = await t.stranger()
    refused(await t.call('POST', '/v1/oauth', { body: { linkId }, token }), 'unknown_reference')
    await t.counters.flush()
    const { counters, refusals } = fine(await t.call('GET', `/v1/link/${linkId}`))
    assert.deepEqual(counters, { opens: 0, attempts: 3, successes: 1 })
    assert.deepEqual(refusals, [{ code: 'link_full', count: 2 }])
  })
}
