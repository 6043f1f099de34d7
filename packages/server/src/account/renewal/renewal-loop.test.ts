import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describePostgres } from '../../../test/postgres.ts'
import { startRenewalLoop } from './renewal-loop.ts'
import { type RenewalWorld, startRenewalWorld } from './test/renewal-world.ts'

describe('the renewal loop', () => {
  promises(async () => undefined)

  it('keeps no process alive, and leaves no timer behind when it is stopped', () => {
    const loop = fileURLToPath(new URL('test/idle-loop.ts', import.meta.url))
    for (const then of ['leave', 'stop']) {
      const { stdout, stderr, status } = spawnSync(process.execPath, [loop, then], {
        encoding: 'utf8',
        timeout: 20_000,
      })
      assert.equal(status, 0, stderr)
      assert.equal(stdout, then === 'stop' ? 'timers before 1, after 0\n' : 'timers before 1\n')
    }
  })
})

describePostgres('the renewal loop on PostgreSQL', (server) => {
  promises(() => server().createDatabase('renewal_loop'))
})

function promises(url: () => Promise<string | undefined>): void {
  let world: RenewalWorld
  before(async () => {
    world = await startRenewalWorld({ url: await url() })
  })
  after(() => world.close())
  beforeEach(() => {
    world.provider.beforeRotation = undefined
    world.provider.calls.length = 0
  })

  it('renews what is due and nothing else, round after round', async () => {
    const due = await world.account()
    const later = await world.account({ row: { renew_at: Date.now() + 60_000 } })
    const loop = startRenewalLoop(world.node(), { everyMs: 20 })
    await until(async () => (await world.row(due.id)).credential_version === 2)
    await world.change(due.id, { renew_at: 1 })
    await until(async () => (await world.row(due.id)).credential_version === 3)
    await loop.stop()
    assert.equal((await world.row(later.id)).credential_version, 1)
    assert.equal(world.provider.calls.length, 2)
  })

  it('waits between rounds, at least three quarters of the time that was asked for', async () => {
    const rounds: number[] = []
    const startedAt = performance.now()
    const sweep = async () => rounds.push(performance.now())
    const loop = startRenewalLoop(world.node(), { everyMs: 80, sweeps: [sweep] })
    await until(async () => rounds.length >= 4)
    await loop.stop()
    let before = startedAt
    for (const at of rounds) {
      // Timers may fire a millisecond early.
      assert.ok(at - before >= 59, `${at - before} ms`)
      before = at
    }
  })

  it('does its other work although some of it fails', async () => {
    let done = 0
    const sweeps = [() => Promise.reject(new Error('the sweep is broken')), async () => ++done]
    const loop = startRenewalLoop(world.node(), { everyMs: 10, sweeps })
    await until(async () => done >= 3)
    await loop.stop()
  })

  it('stops at once between rounds, and starts none after', async () => {
    let rounds = 0
    const sweeps = [async () => ++rounds]
    const slow = startRenewalLoop(world.node(), { everyMs: 3_600_000, sweeps })
    assert.notEqual(await Promise.race([slow.stop(), sleep(2_000, 'waits')]), 'waits')
    const quick = startRenewalLoop(world.node(), { everyMs: 10, sweeps })
    await until(async () => rounds >= 2)
    await quick.stop()
    const stoppedAt = rounds
    await world.account()
    await sleep(100)
    assert.equal(rounds, stoppedAt)
    assert.deepEqual(world.provider.calls, [])
    await quick.stop()
  })

  it('waits for what runs when it is stopped, stores it, and starts nothing new', async () => {
    await world.t.database.transaction((trx) =>
      trx.updateTable('accounts').set({ renew_at: null }).execute(),
    )
    const made = await Promise.all(Array.from({ length: 9 }, () => world.account()))
    const answer = Promise.withResolvers<void>()
    world.provider.beforeRotation = async () => {
      await answer.promise
      return false
    }
    let swept = 0
    const sweeps = [async () => ++swept]
    const loop = startRenewalLoop(world.node(), { everyMs: 10, sweeps })
    await until(async () => world.provider.calls.length === 4)
    const stopping = loop.stop()
    assert.equal(await Promise.race([stopping, sleep(150, 'waits')]), 'waits')
    answer.resolve()
    await stopping
    const rows = await Promise.all(made.map(({ id }) => world.row(id)))
    assert.equal(rows.filter((row) => row.credential_version === 2).length, 4)
    assert.ok(rows.every((row) => row.lease_owner === null && row.renewal_sent_at === null))
    assert.equal(world.provider.calls.length, 4)
    assert.equal(swept, 0)
  })
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, 'it never came')
    await sleep(5)
  }
}
