import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectCreated, expectError, expectOk, testContext } from '../../../test/test-context.ts'
import { RETURN_URL } from './test/oauth-test-context.ts'
import {
  expectPage,
  getReturnParams,
  ISSUER,
  respondWithJson,
  type StubProviderContext,
} from './test/stub-provider-context.ts'

const OWN = 'https://other.example/back'

describeOnBothDatabases('OAuth through a link with limits and lists', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: StubProviderContext
  before(async () => {
    t = await testContext({ provider: true, url: await newUrl() })
  })
  after(() => t.close())
  beforeEach(() => {
    t.tokenRequests.length = 0
    t.respondToToken = respondWithJson(200, { access_token: 'at', refresh_token: 'rt' })
  })

  const createLink = async (overrides: object = {}): Promise<string> =>
    expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a', ...overrides } }))
      .linkId
  const start = (body: object) =>
    t.call('POST', '/v1/oauth', {
      body: {
        integrationDefinitionId: t.definitionId,
        integrationAccountName: 'a',
        redirectURL: RETURN_URL,
        confirm: false,
        ...body,
      },
    })
  const callback = (state: string) => t.callback({ state, code: 'c', iss: ISSUER })
  const connectAccount = async (body: Record<string, unknown>) =>
    String(getReturnParams(await t.completeFlow(body)).integrationAccountId)

  it('400 link_full, link_identifier_full: at the start, before the user is redirected', async () => {
    const linkId = await createLink({ maxAccounts: 2, maxAccountsPerIdentifier: 1 })
    await connectAccount({ linkId, accountIdentifier: 'ada' })
    expectError(await start({ linkId, accountIdentifier: 'ada' }), 'link_identifier_full')
    await connectAccount({ linkId })
    expectError(await start({ linkId, accountIdentifier: 'bob' }), 'link_full')
  })

  it('a link that has become full since the start shows an error page and sends no request to the provider', async () => {
    const linkId = await createLink({ maxAccounts: 1 })
    const page = await t.start({ linkId })
    const state = await t.begin(await t.start({ linkId }))
    await connectAccount({ linkId })
    t.tokenRequests.length = 0
    expectPage(await t.browser.get(page), 400)
    assert.equal(getReturnParams(await callback(state)).error, 'link_full')
    assert.equal(t.tokenRequests.length, 0, 'no code is used')
  })

  it('a link that becomes full during the token exchange accepts no account', async () => {
    const linkId = await createLink({ maxAccounts: 1 })
    const other = await t.begin(await t.start({ linkId }))
    const state = await t.begin(await t.start({ linkId }))
    t.respondToToken = async (response) => {
      t.respondToToken = respondWithJson(200, { access_token: 'at', refresh_token: 'rt' })
      assert.equal(getReturnParams(await callback(other)).success, 'true')
      await respondWithJson(200, { access_token: 'at2', refresh_token: 'rt2' })(response)
    }
    assert.equal(getReturnParams(await callback(state)).error, 'link_full')
  })

  it('a pending account counts towards the limit, and can be confirmed when the link is full', async () => {
    const linkId = await createLink({ maxAccounts: 1 })
    const { confirmToken } = getReturnParams(await t.completeFlow({ linkId, confirm: true }))
    expectError(await start({ linkId }), 'link_full')
    const body = { confirmToken }
    assert.equal(expectOk(await t.call('POST', '/v1/oauth/confirm', { body })).status, 'active')
  })

  it('a reconnect works when the link is full', async () => {
    const linkId = await createLink({ maxAccounts: 1, maxAccountsPerIdentifier: 1 })
    const id = await connectAccount({ linkId, accountIdentifier: 'ada' })
    assert.equal(await connectAccount({ linkId, integrationAccountId: id }), id)
    const returnedParams = getReturnParams(
      await t.completeFlow({ linkId, integrationAccountId: id, confirm: true }),
    )
    const body = { confirmToken: returnedParams.confirmToken }
    assert.equal(
      expectOk(await t.call('POST', '/v1/oauth/confirm', { body })).integrationAccountId,
      id,
    )
    assert.equal(
      await connectAccount({ integrationAccountId: id }),
      id,
      'the token is invalid without the link, too',
    )
  })

  it('a reconnect cannot move an account to an identifier that has reached its limit', async () => {
    const linkId = await createLink({ maxAccountsPerIdentifier: 1 })
    await connectAccount({ linkId, accountIdentifier: 'ada' })
    const id = await connectAccount({ linkId, accountIdentifier: 'bob' })
    for (const overrides of [{ linkId }, {}]) {
      const reconnect = { ...overrides, integrationAccountId: id, accountIdentifier: 'ada' }
      assert.equal(getReturnParams(await t.completeFlow(reconnect)).error, 'link_identifier_full')
    }
    assert.equal(await connectAccount({ integrationAccountId: id, accountIdentifier: 'cyd' }), id)
  })

  it('400 unknown_reference: a reconnect through a link of an account that was not created through it', async () => {
    const linkId = await createLink()
    const linkAccountId = await connectAccount({ linkId })
    const others = [await connectAccount({ linkId: await createLink() }), await connectAccount({})]
    const messages = new Set<string>()
    for (const id of [...others, `acc_${'0'.repeat(26)}`, 'nonsense']) {
      const response = await start({ linkId, integrationAccountId: id })
      const { errors, message } = expectError(response, 'unknown_reference')
      assert.deepEqual(Object.keys(errors), ['integrationAccountId'])
      messages.add(message)
    }
    assert.equal(messages.size, 1, 'the same message as for an account that does not exist')
    assert.equal(
      await connectAccount({ linkId, integrationAccountId: linkAccountId }),
      linkAccountId,
    )
  })

  it('a link with its own redirectURLs does not redirect to those of the workspace', async () => {
    const linkId = await createLink({ redirectURLs: [OWN] })
    expectError(await start({ linkId, redirectURL: RETURN_URL }), 'redirect_url_not_allowed')
    expectError(await start({ redirectURL: OWN }), 'redirect_url_not_allowed')
    const state = await t.begin(await t.start({ linkId, redirectURL: OWN }))
    const { location } = await callback(state)
    const url = new URL(location ?? '')
    assert.equal(url.origin + url.pathname, OWN)
    assert.equal(url.searchParams.get('success'), 'true')
  })

  it('a link counts starts and their outcomes', async () => {
    const linkId = await createLink({ maxAccounts: 1 })
    const state = await t.begin(await t.start({ linkId }))
    await connectAccount({ linkId })
    assert.equal(getReturnParams(await callback(state)).error, 'link_full')
    expectError(await start({ linkId }), 'link_full')
    const { token } = await t.otherUser()
    expectError(await t.call('POST', '/v1/oauth', { body: { linkId }, token }), 'unknown_reference')
    await t.counters.flush()
    const { counters, refusals } = expectOk(await t.call('GET', `/v1/link/${linkId}`))
    assert.deepEqual(counters, { opens: 0, attempts: 3, successes: 1 })
    assert.deepEqual(refusals, [{ code: 'link_full', count: 2 }])
  })
}
