import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { expectError, expectOk, testContext } from '../../../../test/test-context.ts'
import {
  expectPage,
  getReturnParams,
  ISSUER,
  respondWithJson,
  type StubProviderContext,
} from '../test/stub-provider-context.ts'

describeOnBothDatabases(
  'an OAuth session whose access token, workspace or redirect URL no longer exists',
  defineTests,
)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: StubProviderContext
  let clock = 0
  const tokens = respondWithJson(200, { access_token: 'at', refresh_token: 'rt' })
  before(async () => {
    t = await testContext({ provider: true, url: await newUrl(), now: () => Date.now() + clock })
  })
  after(() => t.close())
  beforeEach(() => {
    clock = 0
    t.tokenRequests.length = 0
    t.respondToToken = tokens
  })

  /** Creates an access token, and a function that revokes it. */
  async function createToken(body: Record<string, unknown> = {}) {
    const tokenInput = { name: 'host', ...body }
    const createdToken = (await t.call('POST', '/v1/user/token', { body: tokenInput })).body
    const revoke = async () =>
      expectOk(await t.call('DELETE', `/v1/user/token/${createdToken.tokenId}`))
    return { token: String(createdToken.token), revoke }
  }
  const callback = (state: string) => t.callback({ state, code: 'c', iss: ISSUER })
  const confirm = (confirmToken: unknown) =>
    t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } })
  const getStatus = async (id: unknown) =>
    expectOk(await t.call('GET', `/v1/integration_account/${id}`)).status
  const setDeletedAt = (at: number | null) =>
    t.database.transaction((trx) =>
      trx
        .updateTable('workspaces')
        .set({ deleted_at: at })
        .where('workspace_id', '=', t.workspaceId)
        .execute(),
    )

  it('fails on its page once the access token was revoked, and the page says why', async () => {
    const { token, revoke } = await createToken()
    const page = await t.start({}, token)
    expectPage(await t.browser.get(page), 200)
    await revoke()
    for (const response of [await t.browser.get(page), await t.browser.post(page)]) {
      expectPage(response, 400)
      assert.match(response.text, /<bdi>North<\/bdi> withdrew this request/)
      assert.equal(response.headers.get('set-cookie'), null)
    }
  })

  it('fails at the callback, without a request to the provider', async () => {
    const { token, revoke } = await createToken()
    const accounts = await t.countAccounts()
    const state = await t.begin(await t.start({}, token))
    await revoke()
    assert.equal(getReturnParams(await callback(state)).error, 'oauth_start_revoked')
    assert.equal(t.tokenRequests.length, 0)
    assert.equal(await t.countAccounts(), accounts)
  })

  it('fails when the revoked token had created the token that started it', async () => {
    const parentToken = await createToken({ scopes: ['tokens', 'read', 'write'] })
    const childToken = await t.call('POST', '/v1/user/token', {
      body: { name: 'child', scopes: ['write'] },
      token: parentToken.token,
    })
    const state = await t.begin(await t.start({}, childToken.body.token))
    await parentToken.revoke()
    assert.equal(getReturnParams(await callback(state)).error, 'oauth_start_revoked')
  })

  it('creates no account when the token is revoked during the token exchange', async () => {
    const { token, revoke } = await createToken()
    const accounts = await t.countAccounts()
    const state = await t.begin(await t.start({}, token))
    t.respondToToken = async (response) => {
      await revoke()
      await tokens(response)
    }
    assert.equal(getReturnParams(await callback(state)).error, 'oauth_start_revoked')
    assert.equal(await t.countAccounts(), accounts)
  })

  it('fails on confirmation: the account stays pending', async () => {
    const { token, revoke } = await createToken()
    const state = await t.begin(await t.start({ confirm: true }, token))
    const { confirmToken, integrationAccountId: id } = getReturnParams(await callback(state))
    await revoke()
    expectError(await confirm(confirmToken), 'oauth_start_revoked')
    assert.equal(await getStatus(id), 'pending')
    expectError(await confirm(confirmToken), 'oauth_start_revoked')
  })

  it('fails on confirmation of a reconnect: the account is unchanged', async () => {
    const id = getReturnParams(await t.completeFlow()).integrationAccountId
    const { token, revoke } = await createToken()
    const reconnect = { integrationAccountId: id, confirm: true }
    const { confirmToken } = getReturnParams(
      await callback(await t.begin(await t.start(reconnect, token))),
    )
    await revoke()
    expectError(await confirm(confirmToken), 'oauth_start_revoked')
    const { credential_version } = await t.database.read
      .selectFrom('accounts')
      .select('credential_version')
      .where('account_id', '=', id)
      .executeTakeFirstOrThrow()
    assert.equal(credential_version, 1)
  })

  it('completes when the token has merely expired', async () => {
    const { token } = await createToken({ seconds: 60 })
    const state = await t.begin(await t.start({ confirm: true }, token))
    clock = 61_000
    expectError(await t.call('GET', '/v1/user', { token }), 'token_invalid')
    const { confirmToken, integrationAccountId: id } = getReturnParams(await callback(state))
    expectOk(await confirm(confirmToken))
    assert.equal(await getStatus(id), 'active')
  })

  it('fails on its page, at the callback and on confirmation once the workspace is deleted', async () => {
    const accounts = await t.countAccounts()
    const page = await t.start()
    const state = await t.begin(await t.start())
    const pendingState = await t.begin(await t.start({ confirm: true }))
    const { confirmToken } = getReturnParams(await callback(pendingState))
    t.tokenRequests.length = 0
    await setDeletedAt(1)
    expectPage(await t.browser.get(page), 404)
    const response = await callback(state)
    assert.match(response.location ?? '', /\/oauth\/finished\//)
    expectPage(await t.browser.get(response.location ?? ''), 404)
    expectError(await confirm(confirmToken), 'oauth_confirm_invalid')
    await setDeletedAt(null)
    assert.equal(t.tokenRequests.length, 0)
    assert.equal(await t.countAccounts(), accounts + 1)
  })

  it('does not redirect to a URL that the workspace no longer allows', async () => {
    const updateRedirectUrls = async (allowedRedirectURLs: string[]) =>
      expectOk(
        await t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: { allowedRedirectURLs } }),
      )
    const { allowedRedirectURLs: before } = await updateRedirectUrls([
      'https://app.example.com/connected?tab=1',
    ])
    const page = await t.start()
    const state = await t.begin(await t.start())
    const pendingState = await t.begin(await t.start({ confirm: true }))
    await updateRedirectUrls([])
    expectPage(await t.browser.get(page), 400)
    const response = await callback(state)
    assert.match(response.location ?? '', /^http:\/\/localhost:3000\/oauth\/finished\/att_\w+$/)
    assert.match((await t.browser.get(response.location ?? '')).text, /has changed something/)
    assert.equal(t.tokenRequests.length, 0)
    await updateRedirectUrls(before)
    t.respondToToken = async (response) => {
      await updateRedirectUrls([])
      await tokens(response)
    }
    const lateResponse = await callback(pendingState)
    assert.match(lateResponse.location ?? '', /^http:\/\/localhost:3000\/oauth\/finished\/att_\w+$/)
    await updateRedirectUrls(before)
  })
}
