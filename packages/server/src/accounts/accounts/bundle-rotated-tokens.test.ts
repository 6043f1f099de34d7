import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { buildExampleBundles } from '../../../../../examples/build.ts'
import { BOOKS_CLIENT } from '../../../../../examples/provider/books.ts'
import { createProvider } from '../../../../../examples/provider/provider.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  countRows,
  expectCreated,
  expectError,
  expectOk,
  listAuditActions,
} from '../../../test/test-context.ts'
import type { AccountId } from './account.ts'
import {
  type RefreshTestContext,
  startRefreshTestContext,
} from './token-refresh/test/refresh-test-context.ts'

describeOnBothDatabases(
  'Accounts whose bundle, built with the older kit, refreshes tokens itself',
  defineTests,
)

function defineTests(newUrl: NewDatabaseUrl): void {
  /** Acme Books accepts each refresh token only once. */
  const provider = createProvider()
  let context: RefreshTestContext
  let integrationDefinitionId: string
  let count = 0

  before(async () => {
    await provider.listen()
    context = await startRefreshTestContext({ url: await newUrl() })
    const { books } = await buildExampleBundles()
    integrationDefinitionId = String(
      (await context.t.createDefinition({ code: books.code })).integrationDefinitionId,
    )
  })
  after(() => Promise.all([context.close(), provider.close()]))
  beforeEach(() => {
    provider.requests.length = 0
  })

  const generateToken = () => `refresh_once_mine_${++count}`
  const createConfig = (refresh_token: string, overrides = {}) => ({
    base_url: provider.url,
    subdomain: 'north',
    region: 'eu',
    refresh_token,
    ...BOOKS_CLIENT,
    ...overrides,
  })
  const create = (input: object) =>
    context.t.call('POST', '/v1/integration_account', {
      body: {
        integrationDefinitionId,
        integrationAccountName: 'Books',
        authType: 'OAuth2',
        config: input,
      },
    })
  const connect = async (refreshToken = generateToken()) =>
    expectCreated(await create(createConfig(refreshToken))).integrationAccountId
  const getPath = (id: AccountId) => `/v1/integration_account/${id}`
  const update = (id: AccountId, input: object) =>
    context.t.call('POST', getPath(id), { body: { config: input } })
  const getCredentials = (id: AccountId) => context.t.call('GET', `${getPath(id)}/credentials`)
  const requestedPaths = () =>
    provider.requests.map(({ path: getPath }) => getPath.replace('/north', ''))
  /** Whether Acme Books accepts these headers. */
  const getCredentialsStatus = async (id: AccountId) => {
    const { headers } = expectOk(await getCredentials(id))
    return (await fetch(`${provider.url}/north/api/account`, { headers })).status
  }
  /** Simulates that the user revokes access: the newest refresh token never works again. */
  const revokeConsent = async (id: AccountId) => {
    const token = String((await context.config(id)).refresh_token)
    const body = new URLSearchParams({ token, ...BOOKS_CLIENT })
    assert.equal(
      (await fetch(`${provider.url}/oauth/revoke`, { method: 'POST', body })).status,
      200,
    )
    // Expire the access token, so that the next use needs a refresh.
    await context.change(id, { token_expires_at: Date.now() - 1 })
    provider.requests.length = 0
  }
  const getStatus = async (id: AccountId) => {
    const { status, statusReason } = expectOk(await context.t.call('GET', getPath(id)))
    return [status, statusReason]
  }

  it('the account is created with the refresh token that CHECK obtained', async () => {
    const first = generateToken()
    const id = await connect(first)
    assert.deepEqual(requestedPaths(), ['/oauth/token', '/api/account'])
    const stored = await context.config(id)
    assert.notEqual(stored.refresh_token, first)
    assert.match(String(stored.access_token), /^access_\d+$/)
    assert.equal(stored.client_secret, BOOKS_CLIENT.client_secret)
    const { token_expires_at, refresh_at } = await context.row(id)
    assert.ok(Math.abs(Number(token_expires_at) - Date.now() - 3_600_000) < 10_000)
    assert.equal(refresh_at, null)
    assert.equal(await getCredentialsStatus(id), 200)
    assert.equal(await getCredentialsStatus(id), 200)
  })

  it('the account is not created with a used refresh token or while the provider is down', async () => {
    const before = await countRows(context.t, 'accounts')
    expectError(await create(createConfig('stolen')), 'credentials_rejected')
    const unreachable = { base_url: 'http://127.0.0.1:9' }
    expectError(await create(createConfig(generateToken(), unreachable)), 'provider_error')
    assert.equal(await countRows(context.t, 'accounts'), before)
  })

  it('changing another field keeps the tokens that HEADERS obtained', async () => {
    const id = await connect()
    const before = await context.config(id)
    expectOk(await update(id, { region: 'us' }))
    const stored = await context.config(id)
    assert.equal(stored.region, 'us')
    assert.notEqual(stored.refresh_token, before.refresh_token)
    assert.equal(await getCredentialsStatus(id), 200)
  })

  it('the account keeps its tokens if new ones are rejected', async () => {
    const id = await connect()
    const before = await context.config(id)
    expectError(await update(id, { refresh_token: 'stolen' }), 'credentials_rejected')
    assert.deepEqual(await context.config(id), before)
    assert.equal((await context.row(id)).lease_owner, null)
    assert.equal(await getCredentialsStatus(id), 200)
  })

  it('the account changes to needs_reauth with a reason when the provider rejects its tokens, and sends no more requests', async () => {
    const id = await connect()
    await revokeConsent(id)
    expectError(await getCredentials(id), 'needs_reauth')
    assert.deepEqual(await getStatus(id), ['needs_reauth', 'credentials_rejected'])
    assert.ok((await listAuditActions(context.t, id)).includes('account.needs_reauth'))
    assert.equal((await context.row(id)).lease_owner, null)
    provider.requests.length = 0
    expectError(await getCredentials(id), 'needs_reauth')
    expectError(await context.t.call('GET', `${getPath(id)}/proxy/account`), 'needs_reauth')
    assert.deepEqual(requestedPaths(), [])
  })

  it('the account becomes active after an update that re-verifies its credentials', async () => {
    const id = await connect()
    await context.change(id, { status: 'needs_reauth', status_reason: 'credentials_rejected' })
    expectOk(await update(id, {}))
    assert.deepEqual(await getStatus(id), ['active', null])
    assert.equal(await getCredentialsStatus(id), 200)
  })

  it('the account becomes active after an update with valid tokens', async () => {
    const id = await connect()
    await revokeConsent(id)
    expectError(await getCredentials(id), 'needs_reauth')
    expectError(await update(id, { refresh_token: 'stolen' }), 'credentials_rejected')
    assert.deepEqual(await getStatus(id), ['needs_reauth', 'credentials_rejected'])
    const next = generateToken()
    expectOk(await update(id, { refresh_token: next }))
    assert.deepEqual(await getStatus(id), ['active', null])
    assert.notEqual((await context.config(id)).refresh_token, next)
    assert.equal(await getCredentialsStatus(id), 200)
  })
}
