import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMiniBundle } from '../../../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../../test/postgres.ts'
import type { WorkspaceId } from '../../../../access/workspaces/workspace.ts'
import type { AccountId } from '../../account.ts'
import { getValidCredentials } from '../get-valid-credentials.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import { type CountingProvider, startCountingProvider } from '../test/counting-provider.ts'
import { fillOAuthAccounts } from '../test/fill-oauth-accounts.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  refreshDueAccounts,
  startRefreshTestContext,
} from '../test/refresh-test-context.ts'
import { createClaimStore } from './claim-store.ts'
import { createRefreshScheduler, startRefreshRounds } from './refresh-scheduler.ts'

describeOnBothDatabases('createRefreshScheduler', defineTests)

const SHORT = { leaseMs: 30_000, providerMs: 800, waitMs: 5_000 }

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  let healthy: CountingProvider
  let other: CountingProvider
  let models: Map<CountingProvider, AccountId>
  let grantCount = 0
  before(async () => {
    ;[healthy, other] = await Promise.all([startCountingProvider(), startCountingProvider()])
    context = await startRefreshTestContext({ url: await newUrl() })
    models = new Map()
    for (const provider of [healthy, other]) {
      const spec = createOAuthSpec(provider)
      const { id } = await context.account({
        code: createMiniBundle(spec),
        row: { refresh_at: null },
      })
      models.set(provider, id)
    }
  })
  after(async () => {
    await context.close()
    await Promise.all([healthy.close(), other.close()])
  })
  beforeEach(async () => {
    await context.t.database.transaction((trx) =>
      trx.updateTable('account_tokens').set({ refresh_at: null, lease_until: null }).execute(),
    )
    for (const provider of [healthy, other]) {
      Object.assign(provider, { mode: 'ok', latencyMs: 0, headers: {} })
      Object.assign(provider.counts, { requests: 0, mostOpen: 0, refreshed: 0, reused: 0 })
    }
  })

  async function fill(provider: CountingProvider, count: number, row: object = {}) {
    const grants = Array.from({ length: count }, () => `g${++grantCount}`)
    const accounts = grants.map((grant, index) => ({ grant, refreshAt: 1 + index, ...row }))
    const ids = await fillOAuthAccounts(context.node(), models.get(provider) as AccountId, accounts)
    return { ids, grants }
  }

  const readRows = (ids: readonly AccountId[]) => Promise.all(ids.map((id) => context.row(id)))

  it('ends a round after 20 minutes while accounts are due, which shows that it works', async () => {
    await fill(healthy, 30)
    let minute = 0
    const scheduler = createRefreshScheduler(context.node(), 4, () => 60_000 * minute++)
    await scheduler.runRound()
    await scheduler.finish()
    const { refreshed } = healthy.counts
    assert.ok(refreshed > 0 && refreshed < 30, String(refreshed))
  })

  it('shares the accounts that are due between nodes, and refreshes each once', async () => {
    const { ids } = await fill(healthy, 90)
    healthy.latencyMs = 5
    const nodes = Array.from({ length: 3 }, () => context.node())
    await Promise.all(nodes.map((node) => refreshDueAccounts(node, { concurrency: 16 })))
    // A node passes over accounts that another one was claiming.
    await refreshDueAccounts(context.node())
    assert.deepEqual(
      { ...healthy.counts, mostOpen: 0, open: 0 },
      { requests: 90, refreshed: 90, repeated: 0, reused: 0, mostOpen: 0, open: 0 },
    )
    for (const row of await readRows(ids)) {
      assert.deepEqual(
        [row.credential_version, row.lease_owner, row.refresh_sent_at, row.refresh_failures],
        [2, null, null, 0],
      )
      assert.equal(row.token_host, healthy.host)
      assert.ok(Number(row.refresh_at) > Date.now())
    }
  })

  it('sends a quarter of the requests to one host at most', async () => {
    await fill(healthy, 60, { tokenHost: healthy.host })
    healthy.latencyMs = 20
    await refreshDueAccounts(context.node(), { concurrency: 24 })
    assert.equal(healthy.counts.refreshed, 60)
    assert.equal(healthy.counts.mostOpen, 6)
  })

  it('refreshes the accounts of others while a host with many due accounts does not respond, and those once it does', async () => {
    other.mode = 'hang'
    const dead = await fill(other, 80, { tokenHost: other.host })
    const alive = await fill(healthy, 40, { refreshAt: 1_000 })
    let now = 0
    const node = context.node({ refreshTimeouts: SHORT })
    const scheduler = createRefreshScheduler(node, 16, () => now)
    await scheduler.runRound()
    await scheduler.finish()
    assert.ok((await readRows(alive.ids)).every((row) => row.credential_version === 2))
    const { requests } = other.counts
    assert.ok(requests >= 3 && requests <= 8, `${requests} requests to the host`)
    for (const row of await readRows(dead.ids))
      assert.deepEqual([row.lease_owner, row.status], [null, 'active'])
    await fill(healthy, 5, { refreshAt: Date.now() - 1 })
    await scheduler.runRound()
    await scheduler.finish()
    assert.equal(other.counts.requests, requests, 'paused')
    assert.equal(healthy.counts.refreshed, 45)
    now = 31_000
    other.mode = 'ok'
    await scheduler.runRound()
    await scheduler.finish()
    assert.equal(other.counts.refreshed, 80 - requests, 'the others back off')
  })

  it('learns the host of accounts that were never refreshed, and passes over those of a paused host', async () => {
    other.mode = 503
    const dead = await fill(other, 60)
    await refreshDueAccounts(context.node(), { concurrency: 16 })
    assert.ok(other.counts.requests <= 8, `${other.counts.requests} requests`)
    for (const row of await readRows(dead.ids))
      assert.deepEqual([row.token_host, row.lease_owner], [other.host, null])
  })

  it('pauses a host that responds with Retry-After', async () => {
    other.mode = 429
    other.headers = { 'retry-after': '20' }
    const { ids } = await fill(other, 30, { tokenHost: other.host })
    await refreshDueAccounts(context.node(), { concurrency: 16 })
    assert.ok(other.counts.requests <= 8, `${other.counts.requests} requests`)
    for (const { refresh_failures, refresh_at, status } of await readRows(ids)) {
      if (refresh_failures > 0) assert.ok(Number(refresh_at) - Date.now() > 15_000)
      assert.equal(status, 'active')
    }
  })

  it('a claim starts where the accounts that are not passed over do', async () => {
    await fill(other, 5, { refreshAt: 1_000, tokenHost: other.host })
    const { ids } = await fill(healthy, 2, { refreshAt: 2_000, tokenHost: healthy.host })
    const claims = createClaimStore(context.t.database, Date.now)
    const paused = [{ host: other.host, workspaceId: context.t.workspaceId as WorkspaceId }]
    assert.equal(await claims.findStart(0, []), 1_000)
    assert.equal(await claims.findStart(0, paused), 2_000)
    assert.deepEqual(
      (await claims.claim('a', 60_000, 9, 2_000, [])).map(({ row }) => row.accountId).toSorted(),
      ids.toSorted(),
    )
    assert.ok((await claims.findStart(0, paused)) > Date.now() - 10_000, 'none is due')
    assert.equal((await claims.claim('b', 60_000, 9, 0, paused)).length, 0)
    assert.equal((await claims.claim('b', 60_000, 9, 0, [])).length, 5)
  })

  it('a use refreshes an expired token whatever the refresh time is', async () => {
    const { ids, grants } = await fill(healthy, 2, { tokenHost: healthy.host })
    const [expired, valid] = ids as [AccountId, AccountId]
    const refreshAt = { refresh_at: Date.now() + 600_000 }
    await context.change(expired, { ...refreshAt, token_expires_at: Date.now() - 1 })
    const nearExpiry = { token_expires_at: Date.now() + 30_000, token_ttl_ms: 3_600_000 }
    await context.change(valid, { ...refreshAt, ...nearExpiry })
    for (const [index, id] of ids.entries()) {
      const { grant } = await getValidCredentials(context.node(), id)
      assert.equal(grant.config.access_token, healthy.getAccessToken(String(grants[index])))
    }
    assert.equal(healthy.counts.refreshed, 2)
  })

  it('tries an account whose credentials cannot be read once, and continues with the others', async () => {
    const broken = await fill(healthy, 20, { tokenHost: healthy.host })
    for (const id of broken.ids) await context.change(id, { sealed_config: Buffer.from('broken') })
    await fill(healthy, 5, { refreshAt: 1_000 })
    let warnings = 0
    const log = { ...context.node().log, warn: () => ++warnings } as unknown as RefreshDeps['log']
    await refreshDueAccounts(context.node({ log }), { concurrency: 16 })
    assert.equal(healthy.counts.refreshed, 5)
    assert.equal(warnings, 20)
    for (const row of await readRows(broken.ids))
      assert.ok(row.lease_owner === null && Number(row.refresh_at) > Date.now() + 60_000)
  })

  it('when stopped, releases the leases of accounts that wait, at once', async () => {
    healthy.latencyMs = 500
    const first = await fill(healthy, 2, { tokenHost: healthy.host })
    const loop = startRefreshRounds(context.node(), { intervalMs: 10, concurrency: 16 })
    while (healthy.counts.requests < 2) await sleep(5)
    const later = await fill(healthy, 38, { tokenHost: healthy.host })
    const ids = [...first.ids, ...later.ids]
    while (healthy.counts.requests < 4) await sleep(5)
    const stopping = loop.stop()
    await sleep(100)
    const leased = (await readRows(ids)).filter((row) => row.lease_owner !== null)
    assert.equal(leased.length, healthy.counts.requests, 'those that are being refreshed')
    await stopping
    const rows = await readRows(ids)
    assert.ok(rows.every((row) => row.lease_owner === null && row.refresh_sent_at === null))
    assert.equal(
      rows.filter((row) => row.credential_version === 2).length,
      healthy.counts.refreshed,
    )
    healthy.latencyMs = 0
    await refreshDueAccounts(context.node())
    assert.equal(healthy.counts.refreshed, 40, 'the others are due for the next node')
    assert.equal(healthy.counts.reused, 0)
  })

  it('does not claim what another transaction holds, or a lease, until it expires', async () => {
    const { ids } = await fill(healthy, 3)
    const claims = createClaimStore(context.t.database, Date.now)
    const first = await claims.claim('first', 300, 2, 0, [])
    assert.deepEqual(
      first.map(({ row }) => row.accountId).toSorted(),
      ids.slice(0, 2).toSorted(),
      'longest overdue first',
    )
    const scheduler = createRefreshScheduler(context.node())
    await scheduler.runRound()
    await scheduler.finish()
    assert.equal(healthy.counts.refreshed, 1)
    await sleep(350)
    await scheduler.runRound()
    await scheduler.finish()
    assert.equal(healthy.counts.refreshed, 3)
    assert.equal(healthy.counts.reused, 0)
  })
}
