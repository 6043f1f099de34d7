import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectError, expectOk } from '../../../test/test-context.ts'
import type { AccountId } from './account.ts'
import { acquireLease } from './token-refresh/acquire-lease.ts'
import { getValidCredentials } from './token-refresh/get-valid-credentials.ts'
import {
  type AccountOptions,
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from './token-refresh/test/refresh-test-context.ts'

describeOnBothDatabases(
  'POST /v1/integration_account/{id} of an account that an OAuth app refreshes',
  defineTests,
)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => {
    context.provider.calls.length = 0
    context.provider.beforeRotation = undefined
    context.t.stubServer.requests.length = 0
  })
  const insertAccount = (overrides: AccountOptions = {}) =>
    context.account({ code: createClientBundle(context), ...overrides })
  const update = (id: AccountId, config: object) =>
    context.t.call('POST', `/v1/integration_account/${id}`, { body: { config } })
  const getTimestamps = async (id: AccountId) => {
    const row = await context.row(id)
    return [row.token_expires_at, row.refresh_at, row.refresh_failures, row.refresh_sent_at]
  }
  const expired = { token_expires_at: Date.now() - 1_000, refresh_at: 1 }

  it('POST /v1/integration_account/{id}: CHECK receives the client of the app; neither its id nor its secret is stored', async () => {
    const { id } = await insertAccount()
    expectOk(await update(id, { access_token: 'access-by-hand' }))
    assert.deepEqual(context.t.stubServer.requests.slice(-1), [
      'GET /check?client-of-ours:app-secret',
    ])
    const stored = await context.config(id)
    assert.equal(stored.access_token, 'access-by-hand')
    assert.deepEqual([stored.client_id, stored.client_secret], [undefined, undefined])
  })

  it('POST /v1/integration_account/{id}: CHECK receives the client of the app even if the body contains another one', async () => {
    const { id } = await insertAccount()
    expectOk(await update(id, { access_token: 'access-by-hand', client_id: 'theirs' }))
    assert.deepEqual(context.t.stubServer.requests.slice(-1), [
      'GET /check?client-of-ours:app-secret',
    ])
    assert.equal((await context.config(id)).client_id, 'theirs')
  })

  it('POST /v1/integration_account/{id}: the expiry is unknown after both tokens were replaced', async () => {
    const row = { ...expired, refresh_failures: 3, refresh_sent_at: Date.now() - 60_000 }
    const { id } = await insertAccount({ row })
    const next = context.provider.newFamily()
    expectOk(await update(id, { refresh_token: next.refreshToken, access_token: next.accessToken }))
    const [expiresAt, refreshAt, ...failures] = await getTimestamps(id)
    assert.deepEqual([expiresAt, ...failures], [null, 0, null])
    assert.ok(Number(refreshAt) > Date.now())
    const { lease_owner, credential_version, oauth_app_id } = await context.row(id)
    assert.deepEqual([lease_owner, credential_version, oauth_app_id === null], [null, 2, false])
    const { grant } = await getValidCredentials(context.node(), id)
    assert.equal(grant.config.access_token, next.accessToken)
    assert.deepEqual(context.provider.calls, [])
    await getValidCredentials(context.node(), id, { rejectedVersion: 2 })
    assert.equal(context.provider.calls.length, 1, 'a rejected access token is refreshed')
    assert.equal((await context.config(id)).refresh_token, next.refreshToken)
  })

  it('POST /v1/integration_account/{id}: fetches an access token before CHECK if only a refresh token is sent', async () => {
    const { id } = await insertAccount({ row: expired })
    const next = context.provider.newFamily()
    const refreshToken = next.refreshToken
    expectOk(await update(id, { refresh_token: refreshToken }))
    assert.deepEqual(context.provider.calls, [refreshToken])
    const { refresh_token, access_token } = await context.config(id)
    assert.deepEqual([refresh_token, access_token], [next.refreshToken, next.accessToken])
    const [expiresAt, refreshAt] = await getTimestamps(id)
    assert.ok(Math.abs(Number(expiresAt) - Date.now() - 3_600_000) < 10_000)
    assert.ok(Number(refreshAt) > Date.now() && Number(refreshAt) < Number(expiresAt))
    await getValidCredentials(context.node(), id)
    assert.equal(context.provider.calls.length, 1)
  })

  it('POST /v1/integration_account/{id}: rejects a refresh token that the provider rejects, and keeps the old tokens', async () => {
    const { id } = await insertAccount()
    const before = await context.config(id)
    expectError(await update(id, { refresh_token: 'stolen' }), 'credentials_rejected')
    context.provider.beforeRotation = (response) => {
      response.writeHead(503).end()
      return true
    }
    expectError(await update(id, { refresh_token: 'unlucky' }), 'provider_error')
    assert.deepEqual(await context.config(id), before)
    assert.equal((await context.row(id)).lease_owner, null)
  })

  it('POST /v1/integration_account/{id}: keeps the expiry of the tokens if another field changes', async () => {
    const expires = Date.now() + 900_000
    const { id, family } = await insertAccount({
      row: { token_expires_at: expires, refresh_at: 1 },
    })
    expectOk(await update(id, { desk: 8 }))
    const [expiresAt, refreshAt] = await getTimestamps(id)
    assert.equal(expiresAt, expires)
    assert.ok(Number(refreshAt) > Date.now() && Number(refreshAt) < expires)
    const { refresh_token, access_token, desk } = await context.config(id)
    assert.deepEqual(
      [refresh_token, access_token, desk],
      [family.refreshToken, family.accessToken, 8],
    )
  })

  it('POST /v1/integration_account/{id}: statusReason is no_refresh_token for an account without a refresh token', async () => {
    const { id } = await insertAccount({ config: { refresh_token: undefined } })
    const body = expectOk(await update(id, { access_token: 'access-by-hand' }))
    assert.deepEqual([body.status, body.statusReason], ['active', 'no_refresh_token'])
    assert.deepEqual(await getTimestamps(id), [null, null, 0, null])
  })

  for (const [status, status_reason] of [
    ['needs_reauth', 'invalid_grant'],
    ['error', 'invalid_client'],
  ] as const)
    it(`POST /v1/integration_account/{id}: reactivates an account with status ${status}`, async () => {
      const { id } = await insertAccount({
        row: { ...expired, status, status_reason, refresh_failures: 2 },
      })
      const next = context.provider.newFamily()
      const body = expectOk(await update(id, { refresh_token: next.refreshToken }))
      assert.deepEqual([body.status, body.statusReason], ['active', null])
      const { grant } = await getValidCredentials(context.node(), id)
      assert.equal(grant.config.access_token, next.accessToken)
    })

  it('POST /v1/integration_account/{id}: the status stays needs_reauth while the tokens are those of the revoked grant', async () => {
    const invalidGrant = {
      status: 'needs_reauth',
      status_reason: 'invalid_grant',
      refresh_at: null,
    } as const
    const { id, family } = await insertAccount({ row: { ...expired, ...invalidGrant } })
    const body = expectOk(await update(id, { desk: 8 }))
    assert.deepEqual([body.status, body.statusReason], ['needs_reauth', 'invalid_grant'])
    assert.equal((await context.config(id)).desk, 8)
    const unchangedTokens = { refresh_token: family.refreshToken, access_token: family.accessToken }
    assert.equal(expectOk(await update(id, unchangedTokens)).status, 'needs_reauth')
    const { token_expires_at, refresh_at, lease_owner } = await context.row(id)
    assert.deepEqual(
      [token_expires_at, refresh_at, lease_owner],
      [expired.token_expires_at, null, null],
    )
  })

  it('POST /v1/integration_account/{id}: changes nothing if CHECK rejects the credentials', async () => {
    const { id } = await insertAccount({
      row: { ...expired, status: 'needs_reauth', status_reason: 'x' },
    })
    const before = await context.row(id)
    expectError(await update(id, { access_token: 'wrong' }), 'credentials_rejected')
    const { lease_owner, lease_until, ...rest } = await context.row(id)
    assert.deepEqual([lease_owner, lease_until], [null, null])
    const { lease_owner: _owner, lease_until: _until, ...expected } = before
    assert.deepEqual(rest, expected)
  })

  it('POST /v1/integration_account/{id}: revokes OAuth tokens that an API key replaces, unless they are still in use', async () => {
    const code = createTwoAuthTypesBundle(context)
    const switchAuthType = (id: AccountId, authType: string) =>
      context.t.call('POST', `/v1/integration_account/${id}`, { body: { authType, config: {} } })
    await context.t.database.transaction((trx) =>
      trx.updateTable('accounts').set({ deleted_at: 1 }).execute(),
    )
    const sameUserAccounts = await Promise.all([insertAccount({ code }), insertAccount({ code })])
    for (const { id } of sameUserAccounts) await context.change(id, { identity_id: 'alice' })
    context.provider.revoked.length = 0
    for (const { id } of sameUserAccounts) {
      assert.deepEqual(context.provider.revoked, [])
      const body = expectOk(await switchAuthType(id, 'Api Key'))
      assert.deepEqual([body.authType, body.status], ['Api Key', 'active'])
    }
    const last = sameUserAccounts[1].family
    const expected = [`refresh_token ${last.refreshToken}`, `access_token ${last.accessToken}`]
    assert.deepEqual(context.provider.revoked, expected)
  })

  it('POST /v1/integration_account/{id}: refreshes an expired access token before CHECK', async () => {
    const { id, family } = await insertAccount({ row: expired, code: createStrictBundle(context) })
    expectOk(await update(id, { desk: 9 }))
    const { desk, access_token } = await context.config(id)
    assert.deepEqual([desk, access_token], [9, family.accessToken])
    assert.equal(context.provider.calls.length, 1)
  })

  it('POST /v1/integration_account/{id}: does not reject credentials if the provider temporarily fails to refresh them', async () => {
    const { id } = await insertAccount({ row: expired, code: createStrictBundle(context) })
    context.provider.beforeRotation = (response) => {
      response.writeHead(503).end()
      return true
    }
    const before = await context.config(id)
    const { status, body } = await update(id, { desk: 9 })
    assert.deepEqual([status, body.error], [502, 'provider_error'])
    assert.deepEqual(await context.config(id), before)
  })

  it('POST /v1/integration_account/{id}: waits for a refresh in progress and uses its tokens', async () => {
    const { id, family } = await insertAccount()
    const lease = await acquireLease(context.node(), { accountId: id, credentialVersion: 1 })
    assert.ok(lease)
    const responsePromise = update(id, { desk: 9 })
    const first = await Promise.race([
      responsePromise,
      new Promise((done) => setTimeout(done, 200, 'waits')),
    ])
    assert.equal(first, 'waits')
    await lease.update({ leaseOwner: null, leaseUntil: null })
    expectOk(await responsePromise)
    assert.equal((await context.config(id)).refresh_token, family.refreshToken)
    assert.equal((await context.config(id)).desk, 9)
  })
}

/** A spec with two auth types. Switching to the API key leaves the OAuth tokens without an owner. */
function createTwoAuthTypesBundle(context: RefreshTestContext): string {
  const { OAuth2 } = createOAuthSpec(context.provider, {
    revocation_url: `${context.provider.url}/revoke`,
  }).auth_specification
  const key = { input_specification: { type: 'object', properties: {} } }
  return createMiniBundle({ auth_specification: { OAuth2, 'Api Key': key } })
}

/** A bundle whose CHECK sends the client it received to the provider. */
function createClientBundle(context: RefreshTestContext): string {
  const { stubServer } = context.t
  const spec = createOAuthSpec(context.provider)
  const url = stubServer.serve('/check', (_request, response) => response.writeHead(200).end())
  return `
const spec = ${JSON.stringify(spec)}
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return spec
  if (command === 'HEADERS') return { Authorization: 'Bearer ' + config.access_token }
  if (command !== 'CHECK') throw new Error('Command not found')
  await fetch(${JSON.stringify(url)} + '?' + config.client_id + ':' + config.client_secret)
  return { status: String(config.access_token).startsWith('access-'), error: '' }
}
`
}

/** A bundle whose CHECK calls the API, which accepts only the newest access token. */
function createStrictBundle(context: RefreshTestContext): string {
  return `
const spec = ${JSON.stringify(createOAuthSpec(context.provider))}
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return spec
  if (command !== 'CHECK') throw new Error('Command not found')
  const headers = { Authorization: 'Bearer ' + config.access_token }
  const { ok } = await fetch('${context.provider.url}/me', { headers })
  return { status: ok, error: ok ? '' : 'Not accepted.' }
}
`
}
