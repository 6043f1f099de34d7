import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  addJitter,
  inBatches,
  type RoundsOptions,
  startFlushing,
  startRounds,
  startSweeps,
} from './rounds.ts'

describe('Rounds', () => {
  it('follow a commit after the delay, and share it', (t) => {
    const { commit, starts, tick } = start(t, { afterCommits: { delayMs: 10, intervalMs: 100 } })
    commit()
    commit()
    tick(9)
    assert.equal(starts(), 0)
    tick(1)
    assert.equal(starts(), 1)
  })

  it('are polled without commits', (t) => {
    const { starts, tick } = start(t, {})
    tick(999)
    assert.equal(starts(), 0)
    tick(1)
    assert.equal(starts(), 1)
  })

  it('run one at a time, a poll apart, and again after they are woken meanwhile', async (t) => {
    const { rounds, starts, tick, finish } = start(t, {})
    tick(3_000)
    assert.equal(starts(), 1)
    await finish(false)
    tick(999)
    assert.equal(starts(), 1)
    tick(1)
    rounds.wake()
    assert.equal(starts(), 2)
    await finish(false)
    assert.equal(starts(), 3)
  })

  it('begin after their first interval', (t) => {
    const { starts, tick } = start(t, { firstMs: 10 })
    tick(10)
    assert.equal(starts(), 1)
  })

  it('vary by 25 %', async (t) => {
    t.mock.method(Math, 'random', () => 0)
    const { starts, tick, finish } = start(t, { isJittered: true })
    tick(749)
    assert.equal(starts(), 0)
    tick(1)
    await finish(false)
    tick(750)
    assert.equal(starts(), 2)
    assert.ok(Math.abs(addJitter(20_000, () => 1 - Number.EPSILON) - 25_000) < 1)
  })

  it('continue while there is more to do, with a pause', async (t) => {
    const { starts, tick, finish } = start(t, { pauseMs: 20 })
    tick(1_000)
    await finish(true)
    assert.equal(starts(), 1)
    await sleep(40)
    assert.equal(starts(), 2)
  })

  it('report an error and continue', async (t) => {
    const { starts, tick, fail, errors } = start(t, {})
    tick(1_000)
    await fail(new Error('away'))
    tick(1_000)
    assert.deepEqual([starts(), errors], [2, ['away']])
  })

  it('end with the one in progress', async (t) => {
    const { commit, starts, tick, finish, rounds } = start(t, { afterCommits: { delayMs: 10 } })
    tick(1_000)
    commit()
    let isStopped = false
    const stopped = rounds.stop().then(() => {
      isStopped = true
    })
    await settle()
    assert.equal(isStopped, false)
    await finish(true)
    await stopped
    tick(5_000)
    assert.equal(starts(), 1)
  })
})

describe('Sweeps', () => {
  it('run one after the other, even if one fails', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const errors: unknown[] = []
    let done = 0
    const sweeps = [() => Promise.reject(new Error('broken')), async () => ++done]
    const rounds = startSweeps(sweeps, { onError: (error) => errors.push(error), pollMs: 10 })
    for (const count of [1, 2]) {
      t.mock.timers.tick(10)
      await settle()
      assert.deepEqual([errors.length, done], [count, count])
    }
    await rounds.stop()
    t.mock.timers.tick(10)
    assert.equal(done, 2)
  })
})

describe('inBatches', () => {
  it('runs until a batch is not full, and not more often than allowed', async () => {
    const run = async (results: number[]) => {
      await inBatches({ size: 2, max: 3 }, async (size) => Math.min(size, results.shift() ?? 0))
      return results.length
    }
    assert.equal(await run([2, 1, 2, 2]), 2)
    assert.equal(await run([2, 2, 2, 2]), 1)
  })
})

describe('Flushes', () => {
  it('run one at a time, with one queued, and say which one is the last', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const writes: PromiseWithResolvers<void>[] = []
    const lasts: boolean[] = []
    const flushes = startFlushing((isLast) => {
      lasts.push(isLast)
      const write = Promise.withResolvers<void>()
      writes.push(write)
      return write.promise
    }, 1_000)
    t.mock.timers.tick(3_000)
    await settle()
    assert.deepEqual(lasts, [false])
    t.mock.timers.tick(1_000)
    const stopped = flushes.stop()
    writes[0]?.resolve()
    await settle()
    assert.deepEqual(lasts, [false, true])
    writes[1]?.resolve()
    await stopped
    t.mock.timers.tick(1_000)
    await settle()
    assert.equal(lasts.length, 2)
  })
})

type TestOptions = Pick<RoundsOptions, 'pauseMs' | 'firstMs' | 'isJittered'> & {
  readonly afterCommits?: { readonly delayMs: number; readonly intervalMs?: number }
}

/** Rounds every second, each of which ends when the test says so. */
function start(t: TestContext, { afterCommits, ...options }: TestOptions) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const listeners: (() => void)[] = []
  const database = {
    onCommit(listener: () => void) {
      listeners.push(listener)
      return () => void listeners.splice(listeners.indexOf(listener), 1)
    },
  }
  const errors: string[] = []
  const begun: PromiseWithResolvers<boolean>[] = []
  const rounds = startRounds({
    ...options,
    ...(afterCommits && { afterCommits: { ...afterCommits, database } }),
    pollMs: 1_000,
    onError: (error) => errors.push((error as Error).message),
    round() {
      const round = Promise.withResolvers<boolean>()
      begun.push(round)
      return round.promise
    },
  })
  return {
    rounds,
    errors,
    commit: () => listeners.forEach((listener) => void listener()),
    starts: () => begun.length,
    tick: (ms: number) => t.mock.timers.tick(ms),
    async finish(hasMore: boolean) {
      begun.at(-1)?.resolve(hasMore)
      await settle()
    },
    async fail(error: Error) {
      begun.at(-1)?.reject(error)
      await settle()
    },
  }
}

const settle = () => new Promise(setImmediate)
