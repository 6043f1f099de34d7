import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClaimStore } from '../../../src/accounts/accounts/token-refresh/background/claim-store.ts'
import { createRefreshScheduler } from '../../../src/accounts/accounts/token-refresh/background/refresh-scheduler.ts'
import { describeOwnPostgres } from '../../postgres.ts'
import { type RefreshRig, startRefreshRig } from './refresh-rig.ts'

const ACCOUNTS = Number(process.env.REFRESH_ACCOUNTS ?? 1_000_000)
const DEAD_ACCOUNTS = Number(process.env.REFRESH_DEAD_ACCOUNTS ?? ACCOUNTS / 5)
const SECONDS = Number(process.env.REFRESH_SECONDS ?? 10)
const HOSTS = 8
const LATENCY_MS = 200
const DAY_MS = 86_400_000
const TIMES = { leaseMs: 30_000, providerMs: 9_000 }

describeOwnPostgres('A million OAuth accounts that are due (PostgreSQL)', (server) => {
  it('are claimed by index, refreshed by more nodes faster, and not delayed by a host that hangs', async (t) => {
    const url = await server().createDatabase('refresh_scale')
    const rig = await fillRig(t, url)
    await measureClaims(t, rig)
    for (const concurrency of [4, 16, 64]) await measureNodes(t, rig, url, concurrency)
    await measureDeadHost(t, rig, url)
  })
})

describe('A million OAuth accounts that are due (SQLite)', () => {
  it('are claimed by index, and refreshed', async (t) => {
    const rig = await fillRig(t, undefined)
    await measureClaims(t, rig)
    const scheduler = createRefreshScheduler(rig.context.node())
    const stopping = new AbortController()
    const round = scheduler.runRound(stopping.signal)
    await sleep(1_000)
    const rate = await rig.measure(SECONDS)
    stopping.abort()
    await round
    await scheduler.finish()
    t.diagnostic(`SQLite, 64 requests at a time: ${Math.round(rate)} refreshes/s`)
  })
})

async function fillRig(t: TestContext, url: string | undefined): Promise<RefreshRig> {
  const rig = await startRefreshRig(url, HOSTS, LATENCY_MS)
  t.after(() => rig.close())
  const startedAt = performance.now()
  await rig.fill(ACCOUNTS, rig.hosts.slice(1), DAY_MS)
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  t.diagnostic(`${ACCOUNTS} accounts with sealed tokens were inserted in ${seconds} s`)
  return rig
}

/** The time of a claim of 16 accounts, and beside hosts that are passed over. */
async function measureClaims(t: TestContext, { context, hosts }: RefreshRig): Promise<void> {
  const claims = createClaimStore(context.t.database, Date.now)
  const skipped = hosts.slice(0, 3).map((host) => ({ host, workspaceId: null }))
  for (const [name, scopes] of [
    ['no host', []],
    ['three hosts', skipped],
  ] as const) {
    const times: number[] = []
    for (let index = 0; index < 40; index++) {
      const startedAt = performance.now()
      const claimed = await claims.claim('proof', 60_000, 16, 0, scopes)
      times.push(performance.now() - startedAt)
      await claims.release(
        claimed.map(({ row: { accountId, workspaceId } }) => ({
          accountId,
          workspaceId,
          owner: 'proof',
          host: null,
        })),
      )
    }
    t.diagnostic(`a claim of 16 that passes over ${name}: ${describeTimes(times)}`)
  }
}

/** Refreshes per second of one, two and three nodes. */
async function measureNodes(
  t: TestContext,
  rig: RefreshRig,
  url: string,
  concurrency: number,
): Promise<void> {
  const rates: number[] = []
  const nodes = []
  for (const _ of [1, 2, 3]) {
    nodes.push(await rig.startNode({ url, concurrency, ...TIMES }))
    await sleep(2_000)
    rates.push(Math.round(await rig.measure(SECONDS)))
  }
  for (const node of nodes) node.kill('SIGTERM')
  await sleep(2_000)
  const bound = Math.round((concurrency * 1_000) / LATENCY_MS)
  t.diagnostic(
    `${concurrency} requests at a time (bound by latency: ${bound}/s per node): ${rates.join(', ')} refreshes/s with 1, 2, 3 nodes`,
  )
  const reused = (await rig.readCounts()).reduce((sum, one) => sum + one.reused, 0)
  assert.equal(reused, 0, 'no refresh token is used twice')
}

/** A host that hangs, whose accounts are in front of all others. */
async function measureDeadHost(t: TestContext, rig: RefreshRig, url: string): Promise<void> {
  const [dead = '', ...healthy] = rig.hosts
  await rig.fill(DEAD_ACCOUNTS, [dead], 2 * DAY_MS)
  await rig.change(dead, { mode: 'hang' })
  const node = await rig.startNode({ url, concurrency: 64, ...TIMES })
  const startedAt = performance.now()
  for (let seconds = 0; seconds < 4 * SECONDS; ) {
    const rate = Math.round(await rig.measure(SECONDS / 2, healthy))
    seconds = Math.round((performance.now() - startedAt) / 1_000)
    t.diagnostic(`after ${seconds} s beside a host that hangs: ${rate} refreshes/s of the others`)
  }
  const counts = (await rig.readCounts()).find(({ host }) => host === dead)
  t.diagnostic(`${counts?.requests} requests to that host, ${counts?.mostOpen} at a time`)
  assert.ok(Number(counts?.mostOpen) <= 16)
  node.kill('SIGTERM')
}

function describeTimes(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms`
}
