import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError } from '../../platform/errors.ts'
import { createNodeLimiter } from './node-limiter.ts'
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts'

const INTERVAL_MS = 100
const LIMIT = 3_000

describe('createNodeLimiter', () => {
  it('accepts the limit and at most what arrives between two reports, however the requests are spread', () => {
    for (const weights of [
      [1, 1, 1, 1],
      [1, 0, 0, 0],
      [0, 0, 0, 1],
      [1, 1, 1, 30],
      [30, 3, 0, 0],
    ]) {
      const { run } = startNode(weights.length)
      const perMs = 10
      const accepted = run(weights, perMs, 3_000)
      const bound = LIMIT + 2 * INTERVAL_MS * perMs
      assert.ok(accepted > LIMIT * 0.9 && accepted <= bound, `${weights}: ${accepted}`)
    }
  })

  it('accepts everything below the limit', () => {
    const { run } = startNode(4)
    assert.equal(run([1, 1, 1, 1], 0.04, 60_000), 2_400)
  })

  it('would accept a multiple without reports', () => {
    const { run } = startNode(4, Number.POSITIVE_INFINITY)
    assert.equal(run([1, 1, 1, 1], 10, 3_000), 4 * LIMIT)
  })

  it('keeps what a process that has died had accepted', () => {
    const { main, limiter, workers, clock } = startNode(2)
    const [worker] = workers as [RateLimiter]
    for (let count = 0; count < LIMIT; count++) worker.take('a', LIMIT)
    limiter.reportWorker(1, worker.listUsage())
    clock.now += 10 * INTERVAL_MS
    limiter.listOthers(2)
    assert.equal(isAccepted(main, 'a'), false)
  })

  it('tells other nodes the sum of this one, and every process what other nodes accepted', () => {
    const { main, limiter, workers, clock } = startNode(2)
    const [worker] = workers as [RateLimiter]
    for (let count = 0; count < 1_000; count++) {
      main.take('a', LIMIT)
      worker.take('a', LIMIT)
    }
    limiter.reportWorker(1, worker.listUsage())
    const minute = Math.floor(clock.now / 60_000)
    assert.deepEqual(limiter.listUsage(), [{ key: 'a', minute, count: 2_000 }])
    limiter.reportOthers([{ key: 'a', minute, count: 1_000 }])
    assert.deepEqual(limiter.listOthers(1), [{ key: 'a', minute, count: 2_000 }])
    worker.reportOthers(limiter.listOthers(1))
    assert.deepEqual([isAccepted(main, 'a'), isAccepted(worker, 'a')], [false, false])
  })

  it('reports nothing of keys in little use, and forgets those of earlier minutes', () => {
    const { main, limiter, workers, clock } = startNode(2)
    const [worker] = workers as [RateLimiter]
    for (let count = 0; count < 100; count++) worker.take('a', LIMIT)
    assert.deepEqual(worker.listUsage(), [])
    for (let count = 0; count < 1_000; count++) main.take('a', LIMIT)
    assert.equal(limiter.listOthers(1).length, 1)
    clock.now += 120_000
    assert.deepEqual(limiter.listOthers(1), [])
  })
})

function isAccepted(limiter: RateLimiter, key: string): boolean {
  try {
    limiter.take(key, LIMIT)
    return true
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'rate_limited')
    return false
  }
}

/** A main process, the first, and its workers, in this process. */
function startNode(processCount: number, intervalMs = INTERVAL_MS) {
  const clock = { now: 60_000 * 1_000 }
  const create = () => createRateLimiter(() => clock.now, processCount)
  const main = create()
  const limiter = createNodeLimiter(main, () => clock.now)
  const workers = Array.from({ length: processCount - 1 }, create)
  const report = () => {
    for (const [index, worker] of workers.entries()) {
      limiter.reportWorker(index, worker.listUsage())
      worker.reportOthers(limiter.listOthers(index))
    }
  }
  /** Sends requests of one key to the processes in proportion to their weights; returns how many were accepted. */
  const run = (weights: readonly number[], perMs: number, durationMs: number) => {
    const turns = weights.flatMap((weight, index) => Array<number>(weight).fill(index))
    let accepted = 0
    let sent = 0
    for (let ms = 1; ms <= durationMs; ms++) {
      clock.now += 1
      for (; sent < Math.floor(ms * perMs + 1e-9); sent++)
        if (isAccepted([main, ...workers][turns[sent % turns.length] ?? 0] ?? main, 'a')) accepted++
      if (ms % intervalMs === 0) report()
    }
    return accepted
  }
  return { clock, main, limiter, workers, run }
}
