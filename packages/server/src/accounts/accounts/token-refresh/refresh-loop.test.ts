import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { startRefreshRounds } from './background/refresh-scheduler.ts'
import { type RefreshTestContext, startRefreshTestContext } from './test/refresh-test-context.ts'

describeOnBothDatabases('startRefreshRounds', defineTests)

describe('startRefreshRounds', () => {
  it('does not keep the process alive, and leaves no timer behind when stopped', () => {
    const loop = fileURLToPath(new URL('test/idle-loop.ts', import.meta.url))
    for (const mode of ['leave', 'stop']) {
      const { stdout, stderr, status } = spawnSync(process.execPath, [loop, mode], {
        encoding: 'utf8',
        timeout: 20_000,
      })
      assert.equal(status, 0, stderr)
      assert.equal(stdout, mode === 'stop' ? 'timers before 1, after 0\n' : 'timers before 1\n')
    }
  })
})

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => {
    context.provider.beforeRotation = undefined
    context.provider.calls.length = 0
  })

  it('refreshes due accounts and no others, round after round', async () => {
    const due = await context.account()
    const later = await context.account({ row: { refresh_at: Date.now() + 60_000 } })
    const loop = startRefreshRounds(context.node(), { intervalMs: 20 })
    await waitUntil(async () => (await context.row(due.id)).credential_version === 2)
    await context.change(due.id, { refresh_at: 1 })
    await waitUntil(async () => (await context.row(due.id)).credential_version === 3)
    await loop.stop()
    assert.equal((await context.row(later.id)).credential_version, 1)
    assert.equal(context.provider.calls.length, 2)
  })

  it('stops immediately between rounds, and starts no further round', async () => {
    const slow = startRefreshRounds(context.node(), { intervalMs: 3_600_000 })
    assert.notEqual(await Promise.race([slow.stop(), sleep(2_000, 'waits')]), 'waits')
    const { id } = await context.account()
    const quick = startRefreshRounds(context.node(), { intervalMs: 10 })
    await waitUntil(async () => (await context.row(id)).credential_version === 2)
    await quick.stop()
    context.provider.calls.length = 0
    await context.account()
    await sleep(100)
    assert.deepEqual(context.provider.calls, [])
    await quick.stop()
  })

  it('when stopped, completes the refreshes in progress and starts no new ones', async () => {
    await context.t.database.transaction((trx) =>
      trx.updateTable('account_tokens').set({ refresh_at: null }).execute(),
    )
    const accounts = await Promise.all(Array.from({ length: 9 }, () => context.account()))
    const responseGate = Promise.withResolvers<void>()
    context.provider.beforeRotation = async () => {
      await responseGate.promise
      return false
    }
    const loop = startRefreshRounds(context.node(), { intervalMs: 10, concurrency: 16 })
    await waitUntil(async () => context.provider.calls.length === 4)
    const stopping = loop.stop()
    assert.equal(await Promise.race([stopping, sleep(150, 'waits')]), 'waits')
    responseGate.resolve()
    await stopping
    const rows = await Promise.all(accounts.map(({ id }) => context.row(id)))
    assert.equal(rows.filter((row) => row.credential_version === 2).length, 4)
    assert.ok(rows.every((row) => row.lease_owner === null && row.refresh_sent_at === null))
    assert.equal(context.provider.calls.length, 4)
  })
}

async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, 'timed out waiting for the condition')
    await sleep(5)
  }
}
