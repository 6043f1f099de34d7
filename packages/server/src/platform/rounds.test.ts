import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RoundsOptions, startRounds } from './rounds.ts'

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

  it('run one at a time, and again after a poll meanwhile', async (t) => {
    const { starts, tick, finish } = start(t, {})
    tick(3_000)
    assert.equal(starts(), 1)
    await finish(false)
    assert.equal(starts(), 2)
    await finish(false)
    assert.equal(starts(), 2)
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

type TestOptions = Pick<RoundsOptions, 'pauseMs'> & {
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
