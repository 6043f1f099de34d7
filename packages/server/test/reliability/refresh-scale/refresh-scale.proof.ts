import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describePostgres } from '../../postgres.ts'
import { type RefreshRig, startRefreshRig } from './refresh-rig.ts'

const ACCOUNTS = Number(process.env.REFRESH_KILL_ACCOUNTS ?? 240)
const LEASE_MS = 2_000

describePostgres('Nodes that refresh the same accounts', (server) => {
  it('refresh each once, although one is killed and one stops', async (t) => {
    const url = await server().createMigratedDatabase()
    const rig = await startRefreshRig(url, 4, 100)
    t.after(() => rig.close())
    // A refresh token whose response was lost with the node is accepted again for a while, as at most providers.
    for (const host of rig.hosts) await rig.change(host, { graceMs: 60_000 })
    await rig.fill(ACCOUNTS, rig.hosts, 60_000)
    const options = { url, concurrency: 32, leaseMs: LEASE_MS, providerMs: 1_000 }
    const nodes = await Promise.all([1, 2].map(() => rig.startNode(options)))
    const [killed, stopped] = nodes
    await waitForRefreshes(rig, ACCOUNTS / 4)
    killed?.kill('SIGKILL')
    const exit = stopped === undefined ? undefined : once(stopped, 'exit')
    stopped?.kill('SIGTERM')
    await exit
    const leased = await countLeased(rig)
    assert.ok(leased <= 64, `${leased} leases of the killed node`)
    const left = ACCOUNTS - (await countRefreshed(rig))
    assert.ok(left > 0, 'in the middle')
    await rig.startNode(options)
    await waitForRefreshes(rig, ACCOUNTS)
    await waitUntil(async () => (await countLeased(rig)) === 0)
    await assertEachRefreshedOnce(t, rig)
  })
})

async function assertEachRefreshedOnce(t: TestContext, rig: RefreshRig): Promise<void> {
  const counts = await rig.readCounts()
  const sum = (name: 'refreshed' | 'repeated' | 'reused') =>
    counts.reduce((total, one) => total + one[name], 0)
  t.diagnostic(`${sum('repeated')} refresh tokens were sent again after the kill`)
  assert.equal(sum('refreshed'), ACCOUNTS)
  assert.equal(sum('reused'), 0)
  assert.ok(sum('repeated') <= 32, 'only requests of the killed node are repeated')
  const rows = await rig.context.t.database.read
    .selectFrom('accounts')
    .select(['status', 'credential_version'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('credential_version', '>', 1)
    .groupBy(['status', 'credential_version'])
    .execute()
  assert.deepEqual(
    rows.map((row) => ({ ...row, count: Number(row.count) })),
    [{ status: 'active', credential_version: 2, count: ACCOUNTS }],
  )
}

const countRefreshed = async (rig: RefreshRig) =>
  (await rig.readCounts()).reduce((sum, one) => sum + one.refreshed, 0)

const waitForRefreshes = (rig: RefreshRig, count: number) =>
  waitUntil(async () => (await countRefreshed(rig)) >= count)

async function countLeased({ context }: RefreshRig): Promise<number> {
  const { count } = await context.t.database.read
    .selectFrom('account_tokens')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('lease_owner', 'is not', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, 'timed out waiting for the condition')
    await sleep(20)
  }
}
