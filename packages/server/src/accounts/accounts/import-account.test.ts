import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { registerOAuthApp } from '../../../test/register-oauth-app.ts'
import {
  expectError,
  expectKeys,
  expectOk,
  listAuditActions,
  RESPONSE_KEYS,
  readAllText,
} from '../../../test/test-context.ts'
import type { ErrorCode } from '../../platform/error-codes.ts'
import { getValidCredentials } from './token-refresh/get-valid-credentials.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from './token-refresh/test/refresh-test-context.ts'

const IMPORT = '/v1/integration_account/import'
const HOUR_MS = 3_600_000

describeOnBothDatabases('POST /v1/integration_account/import', (newUrl) => {
  let context: RefreshTestContext
  let oauthId: string
  let keyId: string
  let appId: string
  let count = 0
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
    const { t, provider } = context
    const properties = { tenant: { type: 'string' }, region: { type: 'string' } }
    const input_specification = { type: 'object', properties, required: ['region', 'access_token'] }
    const spec = createOAuthSpec(provider, {
      input_specification,
      token_url: `${provider.url}/token/\${tenant}`,
    })
    oauthId = (await t.createDefinition({ code: createMiniBundle(spec) })).integrationDefinitionId
    keyId = (await t.createDefinition({ name: 'Keys' })).integrationDefinitionId
    const app = { integrationDefinitionId: oauthId, clientSecret: 'app-secret' }
    appId = (await registerOAuthApp(t, app)).integrationOAuthAppId ?? ''
  })
  after(() => context.close())

  const post = (body: object, token = context.t.token) =>
    context.t.call('POST', IMPORT, { body, token })
  const oauthBody = (tokens: object, overrides: object = {}) => ({
    externalId: `nango:stub/customer-${++count}`,
    integrationDefinitionId: oauthId,
    integrationAccountName: 'Customer',
    authType: 'OAuth2',
    config: { tenant: 't-1', region: 'eu' },
    tokens,
    ...overrides,
  })
  const keyBody = (overrides: object = {}) => ({
    externalId: `poozle:customer-${++count}`,
    integrationDefinitionId: keyId,
    integrationAccountName: 'Customer',
    authType: 'Api Key',
    config: { api_key: 'imported-canary', base_url: context.t.stubServer.url },
    ...overrides,
  })
  const expectField = async (
    body: object,
    field: string,
    code: ErrorCode = 'validation_failed',
  ) => {
    const { errors } = expectError(await post(body), code)
    assert.deepEqual(Object.keys(errors), [field])
  }

  it('200 with an unchecked account that keeps its creation time, its tags and its identifier', async () => {
    const { t } = context
    const requests = t.stubServer.requests.length
    const created = { createdAt: '2025-03-01T09:30:00.000Z', tags: { plan: 'pro' } }
    const account = expectOk(await post(keyBody({ ...created, accountIdentifier: 'customer-9' })))
    expectKeys(account, RESPONSE_KEYS.account)
    const { createdAt, tags, accountIdentifier, status, statusReason } = account
    assert.deepEqual({ createdAt, tags }, created)
    assert.deepEqual(
      [accountIdentifier, status, statusReason],
      ['customer-9', 'active', 'unchecked'],
    )
    assert.match(account.integrationAccountId, /^acc_[0-9a-z]{26}$/)
    assert.equal(t.stubServer.requests.length, requests, 'nothing is checked')
    const path = `/v1/integration_account/${account.integrationAccountId}`
    assert.deepEqual(expectOk(await t.call('GET', path)), account)
    assert.deepEqual(await listAuditActions(t, account.integrationAccountId), ['account.created'])
    assert.ok(!(await readAllText(t)).includes('imported-canary'))
    const { data } = await t.database.read
      .selectFrom('events')
      .select('data')
      .where('subject', '=', account.integrationAccountId)
      .executeTakeFirstOrThrow()
    assert.deepEqual(JSON.parse(data), {
      account: { ...account, integrationConfiguration: null },
      connectSessionId: null,
      imported: true,
    })
    const checked = expectOk(await t.call('POST', path, { body: { config: {} } }))
    assert.equal(checked.statusReason, null, 'an update checks the stored credentials')
  })

  it('a repeated import returns the account as it is now, and its tombstone once it is deleted', async () => {
    const { t, provider } = context
    const family = provider.newFamily()
    const body = oauthBody({ accessToken: family.accessToken, refreshToken: family.refreshToken })
    const first = expectOk(await post(body))
    const id = first.integrationAccountId
    const again = expectOk(
      await post({ ...body, integrationAccountName: 'Other', tokens: { accessToken: 'stale' } }),
    )
    assert.deepEqual(again, first)
    assert.equal((await context.config(id)).access_token, family.accessToken)
    expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    assert.equal(expectOk(await post(body)).status, 'deleted')
  })

  it('ten concurrent imports of one externalId make one account', async () => {
    const body = keyBody()
    const responses = await Promise.all(Array.from({ length: 10 }, () => post(body)))
    const ids = new Set(responses.map((response) => expectOk(response).integrationAccountId))
    assert.equal(ids.size, 1)
    const [id = ''] = ids
    assert.deepEqual(await listAuditActions(context.t, id), ['account.created'])
  })

  it('the same externalId in another workspace is another account', async () => {
    const body = keyBody()
    const first = expectOk(await post(body))
    const other = await context.t.otherUser()
    const definition = await context.t.createDefinition({ token: other.token })
    const { integrationDefinitionId } = definition
    const admin = await context.t.call('POST', IMPORT, {
      body: { ...body, integrationDefinitionId },
      token: other.token,
    })
    assert.notEqual(admin.body.integrationAccountId, first.integrationAccountId)
  })

  it('stores OAuth tokens with the app that refreshes them, and the first refresh ends `unchecked`', async () => {
    const { t, provider } = context
    const family = provider.newFamily()
    const { accessToken, refreshToken } = family
    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString()
    const tokens = { accessToken, refreshToken, expiresAt, scope: 'read write' }
    const { integrationAccountId: id } = expectOk(await post(oauthBody(tokens)))
    const row = await context.row(id)
    assert.deepEqual(
      [row.oauth_app_id, row.token_expires_at, row.link_id],
      [appId, Date.parse(expiresAt), null],
    )
    assert.ok(
      row.refresh_at !== null &&
        row.refresh_at > Date.now() &&
        row.refresh_at < Date.parse(expiresAt),
    )
    assert.deepEqual(await context.config(id), {
      tenant: 't-1',
      region: 'eu',
      token_type: 'Bearer',
      scope: 'read write',
      access_token: accessToken,
      refresh_token: refreshToken,
    })
    const { calls } = provider
    calls.length = 0
    await getValidCredentials(context.node(), id)
    assert.deepEqual(calls, [], 'a valid token is used as it is')
    await context.change(id, { token_expires_at: Date.now() - 1, refresh_at: 1 })
    await getValidCredentials(context.node(), id)
    assert.deepEqual([calls.length, provider.reuseCount()], [1, 0])
    const account = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    assert.deepEqual([account.status, account.statusReason], ['active', null])
  })

  it('a refresh token alone: the first use fetches an access token', async () => {
    const { provider } = context
    const { refreshToken } = provider.newFamily()
    const { integrationAccountId: id } = expectOk(await post(oauthBody({ refreshToken })))
    assert.equal((await context.config(id)).access_token, undefined)
    provider.calls.length = 0
    await getValidCredentials(context.node(), id)
    assert.deepEqual(provider.calls, [refreshToken])
    assert.match(String((await context.config(id)).access_token), /^access-/)
  })

  it('a revoked grant becomes needs_reauth at its first use', async () => {
    const { t, provider } = context
    const family = provider.newFamily()
    family.isRevoked = true
    const { refreshToken } = family
    const { integrationAccountId: id } = expectOk(await post(oauthBody({ refreshToken })))
    await assert.rejects(getValidCredentials(context.node(), id), { code: 'needs_reauth' })
    const account = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    assert.deepEqual([account.status, account.statusReason], ['needs_reauth', 'invalid_grant'])
  })

  it('check: stores only credentials that work, with the tokens that the check obtained', async () => {
    const { t, provider } = context
    t.stubServer.serve('/check', (_request, response) => response.writeHead(401).end())
    const refused = keyBody({ check: true })
    expectError(await post(refused), 'credentials_rejected')
    t.stubServer.serve('/check', (_request, response) => response.end('{}'))
    assert.equal(expectOk(await post(refused)).statusReason, null)
    const { refreshToken } = provider.newFamily()
    const checked = expectOk(await post(oauthBody({ refreshToken }, { check: true })))
    const config = await context.config(checked.integrationAccountId)
    assert.equal(checked.statusReason, null)
    assert.notEqual(config.refresh_token, refreshToken)
    assert.deepEqual([config.client_id, config.client_secret], [undefined, undefined])
    const access = oauthBody({ accessToken: 'a' }, { check: true })
    assert.equal(expectOk(await post(access)).statusReason, 'no_refresh_token')
  })

  it('400 names the field', async () => {
    const tokens = { refreshToken: 'r' }
    await expectField(keyBody({ externalId: undefined }), 'externalId')
    await expectField(keyBody({ tokens }), 'tokens')
    await expectField(keyBody({ config: {} }), 'config.api_key')
    await expectField(oauthBody({}), 'tokens')
    await expectField(oauthBody({ ...tokens, expiresAt: 'soon' }), 'tokens.expiresAt')
    await expectField(oauthBody(tokens, { config: { tenant: 't' } }), 'config.region')
    await expectField(oauthBody(tokens, { config: { region: 'eu' } }), 'config.tenant')
    for (const name of ['access_token', 'client_secret'])
      await expectField(
        oauthBody(tokens, { config: { region: 'eu', tenant: 't', [name]: 'x' } }),
        `config.${name}`,
      )
    const tomorrow = new Date(Date.now() + 24 * HOUR_MS).toISOString()
    await expectField(keyBody({ createdAt: tomorrow }), 'createdAt')
    await expectField(keyBody({ authType: 'Basic' }), 'authType', 'auth_type_not_allowed')
    const unknown = keyBody({ integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b' })
    await expectField(unknown, 'integrationDefinitionId', 'unknown_reference')
    const code = createMiniBundle(createOAuthSpec(context.provider))
    const { integrationDefinitionId } = await context.t.createDefinition({ code })
    const withoutApp = oauthBody(tokens, { integrationDefinitionId, config: {} })
    await expectField(withoutApp, 'integrationDefinitionId', 'oauth_app_missing')
  })

  itRequiresScope(() => context.t, 'POST', IMPORT, { scope: 'admin', body: { externalId: 'a' } })
})
