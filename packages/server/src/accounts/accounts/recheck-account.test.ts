import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectError, expectOk, listAuditActions } from '../../../test/test-context.ts'
import { newId } from '../../platform/storage/id.ts'
import type { AccountId } from './account.ts'
import { acquireLease, LEASE_CLEARED } from './token-refresh/acquire-lease.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from './token-refresh/test/refresh-test-context.ts'

const HOUR_MS = 3_600_000

describeOnBothDatabases('POST /v1/integration_account/{id}/check', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  let offsetMs = 0
  let definitionId: string
  /** What the API behind CHECK says. */
  let status: number
  let checks: number

  before(async () => {
    context = await startRefreshTestContext({
      url: await newUrl(),
      now: () => Date.now() + offsetMs,
    })
    context.t.stubServer.serve('/check', (_request, response) => {
      checks += 1
      response.writeHead(status).end('{}')
    })
    definitionId = (await context.t.createDefinition()).integrationDefinitionId
  })
  after(() => context.close())
  beforeEach(() => {
    status = 200
    checks = 0
    context.provider.calls.length = 0
    context.provider.beforeRotation = undefined
  })

  const createWithKey = async () => {
    const config = { api_key: 'a-key-that-works', base_url: context.t.stubServer.url }
    const { integrationAccountId } = await context.t.createAccount(definitionId, { config })
    checks = 0
    return integrationAccountId as AccountId
  }
  /** After the interval in which an account is checked once. */
  const check = async (id: string, options: object = {}) => {
    offsetMs += 10_001
    return context.t.call('POST', `/v1/integration_account/${id}/check`, options)
  }
  const insert = async (row: object = {}) =>
    context.account({
      code: createApiBundle(context),
      row: { token_expires_at: Date.now() + 9_000_000, refresh_at: null, ...row },
    })
  const listHistory = async (id: string) =>
    expectOk(await context.t.call('GET', `/v1/integration_account/${id}/history`)).map(
      ({ action }: { action: string }) => action,
    )

  it('POST …/check: 200 with the account; the history and the audit trail have it', async () => {
    const id = await createWithKey()
    const { account, checkedAt, nextCheckAt, ...result } = expectOk(await check(id))
    assert.deepEqual(result, { status: true, error: '', rejections: 0 })
    const waitMs = Date.parse(nextCheckAt) - Date.parse(checkedAt)
    assert.ok(waitMs > 17 * HOUR_MS && waitMs < 31 * HOUR_MS, `${waitMs} ms`)
    assert.deepEqual([account.integrationAccountId, account.status], [id, 'active'])
    assert.ok(Math.abs(Date.parse(checkedAt) - Date.now() - offsetMs) < 60_000)
    assert.equal(checks, 1)
    assert.deepEqual(await listHistory(id), ['account.checked', 'account.created'])
    assert.deepEqual(await listAuditActions(context.t, id), ['account.created', 'account.checked'])
    assert.equal((await context.row(id)).lease_owner, null)
  })

  it('POST …/check: the first rejection changes no status, and is repeated in 5 to 15 minutes', async () => {
    const id = await createWithKey()
    status = 401
    const { account, rejections, checkedAt, nextCheckAt } = expectOk(await check(id))
    assert.deepEqual([account.status, rejections], ['active', 1])
    const waitMs = Date.parse(nextCheckAt) - Date.parse(checkedAt)
    assert.ok(waitMs > 4 * 60_000 && waitMs <= 15 * 60_000, `${waitMs} ms`)
    status = 200
    assert.equal(expectOk(await check(id)).rejections, 0)
    status = 401
    assert.equal(expectOk(await check(id)).account.status, 'active')
  })

  it('POST …/check: credentials rejected twice make the account needs_reauth; accepted again, active', async () => {
    const id = await createWithKey()
    status = 401
    expectOk(await check(id))
    const rejected = expectOk(await check(id))
    assert.deepEqual([rejected.status, rejected.nextCheckAt], [false, null])
    const { account } = rejected
    assert.deepEqual(
      [account.status, account.statusReason],
      ['needs_reauth', 'credentials_rejected'],
    )
    const { lastErrorCode } = expectOk(
      await context.t.call('GET', `/v1/integration_account/${id}/health`),
    )
    assert.equal(lastErrorCode, 'check_failed')
    expectOk(await check(id))
    status = 200
    const accepted = expectOk(await check(id))
    assert.equal(accepted.status, true)
    assert.deepEqual([accepted.account.status, accepted.account.statusReason], ['active', null])
    const expected = [
      ...['account.checked', 'account.recovered', 'account.checked'],
      ...['account.checked', 'account.checked', 'account.needs_reauth', 'account.created'],
    ]
    // On PostgreSQL, its clock times what happens under the lease.
    assert.deepEqual((await listHistory(id)).toSorted(), expected.toSorted())
  })

  for (const outage of [429, 500, 503])
    it(`POST …/check: a provider that responds with ${outage} changes nothing, and the history does not have it`, async () => {
      const id = await createWithKey()
      status = outage
      const { account, code, retryable, ...result } = expectOk(await check(id))
      assert.equal(result.status, false)
      assert.deepEqual([code, retryable], ['provider_unreachable', true])
      assert.equal(account.status, 'active')
      assert.deepEqual(await listHistory(id), ['account.created'])
      assert.ok((await listAuditActions(context.t, id)).includes('account.checked'))
    })

  it('POST …/check: an unchecked account that works is checked', async () => {
    const id = await createWithKey()
    await context.change(id, { status_reason: 'unchecked' })
    assert.equal(expectOk(await check(id)).account.statusReason, null)
  })

  it('POST …/check: tokens that are due are refreshed first', async () => {
    const { id, family } = await insert({ token_expires_at: 1, refresh_at: 1 })
    const first = family.accessToken
    assert.equal(expectOk(await check(id)).status, true)
    assert.notEqual((await context.config(id)).access_token, first)
    assert.equal(context.provider.calls.length, 1)
  })

  it('POST …/check: a rejected access token is refreshed once, and the new one decides', async () => {
    const { id, family } = await insert()
    family.accessToken = 'another'
    const { status: works, account } = expectOk(await check(id))
    assert.deepEqual([works, account.status], [true, 'active'])
    assert.equal(context.provider.calls.length, 1)
    assert.equal((await context.config(id)).access_token, family.accessToken)
  })

  it('POST …/check: new tokens that are rejected, too, make the account needs_reauth; accepted later, active', async () => {
    const { id, family } = await insert()
    family.accessToken = 'another'
    context.provider.beforeRotation = (response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ access_token: 'not-accepted', expires_in: 3_600 }))
      return true
    }
    assert.equal(expectOk(await check(id)).account.status, 'active')
    const { account } = expectOk(await check(id))
    assert.deepEqual(
      [account.status, account.statusReason],
      ['needs_reauth', 'credentials_rejected'],
    )
    family.accessToken = 'not-accepted'
    assert.equal(expectOk(await check(id)).account.status, 'active')
    assert.ok(Number((await context.row(id)).refresh_at) > 0, 'the background refreshes it again')
  })

  it('POST …/check: a grant that the token endpoint ended is needs_reauth, and is not asked for again', async () => {
    const { id, family } = await insert()
    family.isRevoked = true
    const { status: works, code, account } = expectOk(await check(id))
    assert.deepEqual([works, code], [false, 'credentials_rejected'])
    assert.deepEqual([account.status, account.statusReason], ['needs_reauth', 'invalid_grant'])
    const calls = context.provider.calls.length
    family.isRevoked = false
    assert.equal(expectOk(await check(id)).account.status, 'needs_reauth')
    assert.equal(context.provider.calls.length, calls)
  })

  it('POST …/check: a rejected token that cannot be refreshed now decides nothing', async () => {
    const { id, family } = await insert()
    family.accessToken = 'another'
    context.provider.beforeRotation = (response) => {
      response.writeHead(503).end()
      return true
    }
    const { status: works, account } = expectOk(await check(id))
    assert.deepEqual([works, account.status], [false, 'active'])
    assert.equal((await context.row(id)).lease_owner, null)
  })

  it('POST …/check: an error of the OAuth app stays', async () => {
    const { id } = await insert({ status: 'error', status_reason: 'invalid_client' })
    const { status: works, account } = expectOk(await check(id))
    assert.deepEqual([works, account.status], [true, 'error'])
  })

  it('POST …/check: 400 account_pending', async () => {
    const { id } = await insert({ status: 'pending' })
    expectError(await check(id), 'account_pending')
  })

  it('POST …/check: 429 within 10 seconds of the last one', async () => {
    const id = await createWithKey()
    expectOk(await check(id))
    const response = await context.t.call('POST', `/v1/integration_account/${id}/check`)
    expectError(response, 'rate_limited')
    assert.match(String(response.headers['retry-after']), /^([1-9]|10)$/)
    assert.equal(checks, 1)
  })

  it('POST …/check: waits for a request that holds the lease', async () => {
    const { id } = await insert()
    const lease = await acquireLease(context.node(), { accountId: id, credentialVersion: 1 })
    assert.ok(lease)
    const answer = check(id)
    const first = await Promise.race([
      answer,
      new Promise((done) => setTimeout(done, 200, 'waits')),
    ])
    assert.equal(first, 'waits')
    await lease.update(LEASE_CLEARED)
    assert.equal(expectOk(await answer).status, true)
  })

  it('POST …/check: a retry with the same key gets the first response', async () => {
    const id = await createWithKey()
    const headers = { 'idempotency-key': `check-${id}` }
    const first = expectOk(await check(id, { headers }))
    status = 401
    assert.deepEqual(expectOk(await check(id, { headers })), first)
    assert.equal(checks, 1)
  })

  it('POST …/check: 404 for unknown and deleted accounts', async () => {
    const id = await createWithKey()
    expectOk(await context.t.call('DELETE', `/v1/integration_account/${id}`))
    for (const each of [id, newId('acc', Date.now()), 'nonsense'])
      expectError(await check(each), 'integration_account_not_found')
  })

  itRequiresScope(() => context.t, 'POST', `/v1/integration_account/acc_none/check`, {
    scope: 'accounts:reconnect',
  })
}

/** A bundle whose CHECK asks the provider's API, which accepts the newest access token only. */
function createApiBundle({ provider }: RefreshTestContext): string {
  return `
const spec = ${JSON.stringify(createOAuthSpec(provider))}
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return spec
  if (command !== 'CHECK') throw new Error('Command not found')
  const headers = { Authorization: 'Bearer ' + config.access_token }
  const { ok } = await fetch('${provider.url}/me', { headers })
  return { status: ok, error: ok ? '' : 'Not accepted.' }
}
`
}
