import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import type { AccountId } from '../account.ts'
import { getValidCredentials, refreshAccount } from './get-valid-credentials.ts'
import { needsRefresh } from './refresh-schedule.ts'
import {
  type RefreshTestContext,
  refreshDueAccounts,
  startRefreshTestContext,
} from './test/refresh-test-context.ts'

describeOnBothDatabases('the back-off of a token refresh', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => {
    context.provider.calls.length = 0
    context.provider.beforeRotation = async (response) => {
      // Long enough for all callers to have read the account before the first response arrives.
      await sleep(50)
      response.writeHead(503).end()
      return true
    }
  })
  /** Reads the account as a caller does. */
  const takeSnapshot = async (id: AccountId) => {
    const snapshot = await context.node().refreshStore.find(id)
    assert.ok(snapshot)
    return snapshot
  }
  const expiredRow = () => ({ token_expires_at: Date.now() - 1_000, refresh_at: 1 })

  it('allows one request per window for any number of callers on two nodes', async () => {
    const { id } = await context.account({ row: expiredRow() })
    const nodes = [context.node(), context.node()]
    for (const window of [1, 2, 3]) {
      const callers = Array.from({ length: 30 }, (_, index) => nodes[index % 2] ?? context.node())
      const results = await Promise.allSettled(callers.map((node) => getValidCredentials(node, id)))
      assert.ok(results.every(({ status }) => status === 'rejected'))
      await Promise.all(nodes.map((node) => refreshDueAccounts(node)))
      assert.equal(context.provider.calls.length, window)
      const { refresh_failures, status } = await context.row(id)
      assert.deepEqual([refresh_failures, status], [window, 'active'])
      await context.change(id, { refresh_at: 1 })
    }
  })

  it('applies to a caller that read the account before another failed and acquires the lease afterwards', async () => {
    for (const kind of ['use', 'scheduled'] as const) {
      const { id } = await context.account({ row: expiredRow() })
      const snapshot = await takeSnapshot(id)
      assert.ok(needsRefresh(snapshot.row, snapshot.readAt, { kind }))
      await refreshAccount(context.node(), snapshot, { kind })
      assert.equal(context.provider.calls.splice(0).length, 1)
      await refreshAccount(context.node(), snapshot, { kind })
      assert.equal(context.provider.calls.length, 0, kind)
      const { refresh_failures, lease_owner } = await context.row(id)
      assert.deepEqual([refresh_failures, lease_owner], [1, null])
    }
  })

  it('applies when the API rejects the token in the meantime', async () => {
    const row = { token_expires_at: Date.now() + 900_000 }
    const { id, family } = await context.account({ row })
    const rejectedVersion = (await context.row(id)).credential_version
    const getAfterRejection = () => getValidCredentials(context.node(), id, { rejectedVersion })
    await getAfterRejection()
    assert.equal(context.provider.calls.length, 1, 'one request after a rejection')
    const { grant } = await getAfterRejection()
    assert.equal(grant.config.access_token, family.accessToken)
    assert.equal(context.provider.calls.length, 1, 'no request while backing off')
    await context.change(id, { refresh_at: 1 })
    await getAfterRejection()
    assert.equal(context.provider.calls.length, 2)
  })

  it('applies to a caller whose token was rejected and that acquires the lease after another failed', async () => {
    const { id } = await context.account({ row: { token_expires_at: Date.now() + 900_000 } })
    const snapshot = await takeSnapshot(id)
    const reason = { kind: 'rejected', version: snapshot.row.credentialVersion } as const
    await refreshAccount(context.node(), snapshot, reason)
    await refreshAccount(context.node(), snapshot, reason)
    assert.equal(context.provider.calls.length, 1)
  })
}
