import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectCreated, expectError, expectOk, testContext } from '../../../test/test-context.ts'
import type { PageTestContext } from '../connect-page/test/page-test-context.ts'
import { pressStart } from '../connect-page/test/test-visitor.ts'
import type { RevocationTestContext } from './test/revocation-test-context.ts'
import { getReturnParams, respondWithJson } from './test/stub-provider-context.ts'

describeOnBothDatabases('The OAuth app of a connection', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: RevocationTestContext & PageTestContext
  let second: string
  let own: string
  before(async () => {
    const url = await newUrl()
    t = await testContext({ provider: { revocation: true }, pages: true, url })
    second = await createApp({ clientId: 'second', isDefault: false })
    own = await createApp({ clientId: 'own', accountIdentifier: 'c-1' })
  })
  after(() => t.close())

  const createApp = async (body: AnyBody): Promise<string> => {
    const secret = { clientSecret: `secret of ${body.clientId}` }
    const full = { integrationDefinitionId: t.definitionId, ...secret, ...body }
    return expectCreated(await t.call('POST', '/v1/integration_oauth', { body: full }))
      .integrationOAuthAppId
  }
  const updateApp = async (id: string, body: AnyBody) =>
    expectOk(await t.call('POST', `/v1/integration_oauth/${id}`, { body }))
  const countAccounts = async (id: string) =>
    expectOk(await t.call('GET', `/v1/integration_oauth/${id}`)).accounts
  const respond = (access: string) => {
    const tokens = { access_token: access, refresh_token: `rt.${access}`, expires_in: 3_600 }
    t.respondToToken = respondWithJson(200, tokens)
  }
  let user = 0
  /** Connects as another user each time. Returns the account, and the client that redeemed the code. */
  const connect = async (body: AnyBody, access = `u${++user}.1`) => {
    respond(access)
    t.tokenRequests.length = 0
    const accountId = getReturnParams(await t.completeFlow(body)).integrationAccountId
    return { accountId, clientId: t.tokenRequests.at(-1)?.get('client_id') }
  }
  const start = (body: AnyBody) =>
    t.call('POST', '/v1/oauth', {
      body: { integrationAccountName: 'a', confirm: false, ...body },
    })
  const createLink = async (body: AnyBody): Promise<string> =>
    expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a', ...body } })).linkId
  const createSession = async (body: AnyBody) => {
    const full = { integrationDefinitionIds: [t.definitionId], ...body }
    return expectCreated(await t.call('POST', '/v1/connect_session', { body: full }))
  }
  /** Opens a session, signs in if it can, and returns the client of the authorization request, or the code of its page. */
  const openSession = async (session: AnyBody) => {
    const visitor = t.visitor()
    const pressed = await pressStart(visitor, session.url)
    const page = await visitor.get(pressed.location ?? '')
    if (page.state === 'pickerEmpty') return page.getData('data-code')
    const sent = await visitor.submit(page)
    return new URL(sent.location ?? '').searchParams.get('client_id')
  }

  it("is the customer's own, else the default one", async () => {
    const target = { integrationDefinitionId: t.definitionId }
    assert.equal((await connect({ ...target, accountIdentifier: 'c-1' })).clientId, 'own')
    assert.equal((await connect({ ...target, accountIdentifier: 'c-2' })).clientId, 'linchpin')
    assert.equal((await connect(target)).clientId, 'linchpin')
  })

  it('is the one that a start names, unless it is of another customer or there is none', async () => {
    const named = { integrationDefinitionId: undefined, integrationOAuthAppId: second }
    assert.equal((await connect({ ...named, accountIdentifier: 'c-1' })).clientId, 'second')
    for (const accountIdentifier of [undefined, 'c-2']) {
      const response = await start({ integrationOAuthAppId: own, accountIdentifier })
      expectError(response, 'unknown_reference')
    }
  })

  it('is the one that a link names, which a start cannot change', async () => {
    const linkId = await createLink({ integrationOAuthAppId: second })
    const through = { linkId, accountIdentifier: 'c-1' }
    assert.equal((await connect(through)).clientId, 'second')
    const other = { ...through, integrationOAuthAppId: own }
    expectError(await start(other), 'unknown_reference')
  })

  it('is missing once the app that a link names is deleted', async () => {
    const gone = await createApp({ clientId: 'gone', isDefault: false })
    const linkId = await createLink({ integrationOAuthAppId: gone })
    const session = await createSession({ linkId })
    expectOk(await t.call('DELETE', `/v1/integration_oauth/${gone}`))
    const target = { linkId, integrationDefinitionId: t.definitionId }
    expectError(await start(target), 'oauth_app_missing')
    assert.equal(await openSession(session), 'app_missing')
    const { missingOAuthApps } = expectOk(await t.call('GET', `/v1/link/${linkId}`))
    assert.ok(missingOAuthApps.includes(t.definitionId))
  })

  it('is the same on the page of a connect session', async () => {
    assert.equal(await openSession(await createSession({ accountIdentifier: 'c-1' })), 'own')
    assert.equal(await openSession(await createSession({ accountIdentifier: 'c-2' })), 'linchpin')
    const named = { accountIdentifier: 'c-1', integrationOAuthAppId: second }
    assert.equal(await openSession(await createSession(named)), 'second')
  })

  it("is the customer's own or none with requireCustomerApp, in links and sessions", async () => {
    const required = { requireCustomerApp: true }
    const linkId = await createLink(required)
    for (const [accountIdentifier, expected] of [
      ['c-1', 'own'],
      ['c-2', 'app_missing'],
    ]) {
      const session = { accountIdentifier, ...required }
      assert.equal(await openSession(await createSession(session)), expected)
      assert.equal(await openSession(await createSession({ accountIdentifier, linkId })), expected)
    }
    const target = { linkId, integrationDefinitionId: t.definitionId }
    const { message } = expectError(await start(target), 'oauth_app_missing')
    assert.match(message, /"mode": "app"/)
    assert.equal((await connect({ ...target, accountIdentifier: 'c-1' })).clientId, 'own')
  })

  it('selects accounts in lists', async () => {
    const { accountId } = await connect({ integrationOAuthAppId: second })
    const query = new URLSearchParams({ integrationOAuthAppId: second })
    const found = expectOk(await t.call('GET', `/v1/integration_account?${query}`))
    const all = found.map((account: AnyBody) => account.integrationAccountId)
    assert.ok(all.includes(accountId))
    assert.equal(all.length, await countAccounts(second))
    const none = new URLSearchParams({ integrationOAuthAppId: 'oap_x' })
    assert.deepEqual(expectOk(await t.call('GET', `/v1/integration_account?${none}`)), [])
  })

  it('is the successor for new connections and reconnects, after which the old grant is revoked by the old client', async () => {
    const a = await createApp({ clientId: 'a', isDefault: false })
    const b = await createApp({ clientId: 'b', isDefault: false })
    const named = { integrationDefinitionId: undefined, integrationOAuthAppId: a }
    const { accountId, clientId } = await connect(named, 'moving.1')
    assert.equal(clientId, 'a')
    await updateApp(a, { successorId: b })
    assert.equal((await connect(named)).clientId, 'b')
    assert.deepEqual([await countAccounts(a), await countAccounts(b)], [1, 1])
    expectError(await t.call('DELETE', `/v1/integration_oauth/${a}`), 'oauth_app_in_use')
    t.revoked.length = 0
    const reconnect = { integrationAccountId: accountId, integrationAccountName: undefined }
    const moved = await connect({ ...reconnect, integrationDefinitionId: undefined }, 'moving.3')
    assert.deepEqual([moved.accountId, moved.clientId], [accountId, 'b'])
    assert.deepEqual([await countAccounts(a), await countAccounts(b)], [0, 2])
    assert.ok(t.revoked.length > 0 && t.revoked.every((token) => /moving\.1$/.test(token)))
    expectOk(await t.call('DELETE', `/v1/integration_oauth/${a}`))
  })

  it('is, once a customer changes the client of its own app, the new one for new connections and reconnects', async () => {
    const customer = { accountIdentifier: 'c-9' }
    const a = await createApp({ ...customer, clientId: 'own-a' })
    const target = { ...customer, integrationDefinitionId: t.definitionId }
    const { accountId, clientId } = await connect(target, 'rotating.1')
    assert.equal(clientId, 'own-a')
    const b = await createApp({ ...customer, clientId: 'own-b', predecessorId: a })
    assert.equal((await connect(target)).clientId, 'own-b')
    const session = { ...customer, requireCustomerApp: true }
    assert.equal(await openSession(await createSession(session)), 'own-b')
    // Its refresh token works with its own client only.
    assert.deepEqual([await countAccounts(a), await countAccounts(b)], [1, 1])
    expectError(await t.call('DELETE', `/v1/integration_oauth/${a}`), 'oauth_app_in_use')
    const reconnect = { integrationAccountId: accountId, integrationAccountName: undefined }
    const moved = await connect({ ...reconnect, integrationDefinitionId: undefined }, 'rotating.2')
    assert.deepEqual([moved.accountId, moved.clientId], [accountId, 'own-b'])
    expectOk(await t.call('DELETE', `/v1/integration_oauth/${a}`))
    assert.equal((await connect(target)).clientId, 'own-b')
  })

  it('is not asked to revoke a grant that another account of its client shares', async () => {
    const a = await createApp({ clientId: 'shared-a', isDefault: false })
    const b = await createApp({ clientId: 'shared-b', isDefault: false })
    const named = { integrationDefinitionId: undefined, integrationOAuthAppId: a }
    const { accountId } = await connect(named, 'same.1')
    await connect(named, 'same.2')
    await updateApp(a, { successorId: b })
    t.revoked.length = 0
    await connect({ integrationAccountId: accountId, integrationDefinitionId: undefined }, 'same.3')
    assert.deepEqual(t.revoked, [])
    assert.deepEqual([await countAccounts(a), await countAccounts(b)], [1, 1])
  })

  it('is not asked to revoke a grant that may be that of its successor, too', async (test) => {
    const auth = { 'x-incremental': true }
    const url = await newUrl()
    const context: RevocationTestContext = await testContext({
      provider: { revocation: true, auth },
      url,
    })
    test.after(() => context.close())
    const create = async (clientId: string): Promise<string> => {
      const app = { integrationDefinitionId: context.definitionId, clientId, isDefault: false }
      const body = { ...app, clientSecret: 'secret' }
      return expectCreated(await context.call('POST', '/v1/integration_oauth', { body }))
        .integrationOAuthAppId
    }
    const [a, b] = [await create('project-a'), await create('project-b')]
    const named = { integrationDefinitionId: undefined, integrationOAuthAppId: a }
    const first = getReturnParams(await context.completeFlow(named))
    expectOk(await context.call('POST', `/v1/integration_oauth/${a}`, { body: { successorId: b } }))
    context.respondToToken = respondWithJson(200, { access_token: 'at_1.2', refresh_token: 'r2' })
    await context.completeFlow({
      integrationAccountId: first.integrationAccountId,
      integrationAccountName: undefined,
      integrationDefinitionId: undefined,
    })
    const moved = expectOk(await context.call('GET', `/v1/integration_oauth/${b}`))
    assert.equal(moved.accounts, 1)
    assert.deepEqual(context.revoked, [])
  })
}
