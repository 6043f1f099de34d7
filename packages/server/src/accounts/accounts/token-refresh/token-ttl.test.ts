import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { listAuditActions } from '../../../../test/test-context.ts'
import { getValidCredentials } from './get-valid-credentials.ts'
import {
  type RefreshTestContext,
  refreshDueAccounts,
  startRefreshTestContext,
} from './test/refresh-test-context.ts'

const HOUR = 3_600_000

describeOnBothDatabases('the TTL of an access token', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => {
    context.provider.expiresIn = 3_600
    context.provider.calls.length = 0
  })
  const expiredRow = () => ({ token_expires_at: Date.now() - 1, refresh_at: 1 })

  it('is reused when the provider reports it only once', async () => {
    const { id } = await context.account({ row: expiredRow() })
    await getValidCredentials(context.node(), id)
    context.provider.expiresIn = undefined
    await context.change(id, expiredRow())
    const { row, grant } = await getValidCredentials(context.node(), id)
    const remainingMs = Number(row.tokenExpiresAt) - Date.now()
    assert.ok(remainingMs > HOUR - 60_000 && remainingMs <= HOUR, `${remainingMs}`)
    assert.ok(Number(row.refreshAt) < Number(row.tokenExpiresAt))
    // It expires and is refreshed again.
    await context.change(id, expiredRow())
    const next = await getValidCredentials(context.node(), id)
    assert.notEqual(next.grant.config.access_token, grant.config.access_token)
    assert.equal(context.provider.calls.length, 3)
  })

  it('counts as one hour for the background refresh, and as unlimited for callers, when the provider never reports it', async () => {
    const { id, family } = await context.account({ row: expiredRow() })
    context.provider.expiresIn = undefined
    const { row } = await getValidCredentials(context.node(), id)
    assert.equal(row.tokenExpiresAt, null)
    const wait = Number(row.refreshAt) - Date.now()
    assert.ok(wait > HOUR / 2 && wait < HOUR, `${wait}`)
    await getValidCredentials(context.node(), id)
    assert.equal(context.provider.calls.length, 1)
    await context.change(id, { refresh_at: Date.now() - 1 })
    await refreshDueAccounts(context.node())
    assert.equal(context.provider.calls.length, 2)
    const later = await getValidCredentials(context.node(), id)
    assert.equal(later.grant.config.access_token, family.accessToken)
  })

  it('is ignored once the clock was set back to before the token was issued', async () => {
    const { id, family } = await context.account({ row: expiredRow() })
    await getValidCredentials(context.node(), id)
    const { token_expires_at, refresh_at } = await context.row(id)
    const clockOffset = 3 * HOUR
    await context.change(id, {
      token_expires_at: Number(token_expires_at) + clockOffset,
      refresh_at: Number(refresh_at) + clockOffset,
    })
    const { row, grant } = await getValidCredentials(context.node(), id)
    assert.equal(grant.config.access_token, family.accessToken)
    assert.ok(Number(row.tokenExpiresAt) <= Date.now() + HOUR)
    assert.equal(context.provider.calls.length, 2)
  })

  it('ends with needs_reauth in the background when the account has no refresh token and is not used', async () => {
    const at = Date.now() - 1
    const row = { token_expires_at: at, refresh_at: at, status_reason: 'no_refresh_token' }
    const { id } = await context.account({ row, config: { refresh_token: undefined } })
    await refreshDueAccounts(context.node())
    const { status, status_reason } = await context.row(id)
    assert.deepEqual([status, status_reason], ['needs_reauth', 'token_expired'])
    assert.deepEqual(await listAuditActions(context.t, id), ['account.needs_reauth'])
    assert.deepEqual(context.provider.calls, [])
  })

  it('does not end a pending account before it is confirmed', async () => {
    const { id, family } = await context.account({ row: { ...expiredRow(), status: 'pending' } })
    family.isRevoked = true
    await refreshDueAccounts(context.node())
    assert.equal((await context.row(id)).status, 'pending')
    await context.change(id, { status: 'active' })
    await assert.rejects(getValidCredentials(context.node(), id), { code: 'needs_reauth' })
    assert.equal((await context.row(id)).status_reason, 'invalid_grant')
  })
}
