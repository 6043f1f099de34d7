import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { estimateWaitMs, MovingAverages } from './admission-queue.ts'

describe('expectedWait', () => {
  it('is zero for a call with nothing ahead of it', () => {
    assert.equal(estimateWaitMs({ runningForMs: [], averageMs: 500 }, 0), 0)
  })

  it('is, for the first queued call, the time until the first running call ends, and so on', () => {
    const blockers = { runningForMs: [100, 700, 300], averageMs: 1_000 }
    assert.deepEqual(
      [0, 1, 2, 3].map((callsAhead) => estimateWaitMs(blockers, callsAhead)),
      [300, 700, 900, 1_300],
    )
  })

  it('assumes that calls with unknown duration run as long again as they have', () => {
    assert.equal(estimateWaitMs({ runningForMs: [50, 60], averageMs: undefined }, 0), 50)
    assert.equal(estimateWaitMs({ runningForMs: [5_000, 4_000], averageMs: undefined }, 0), 4_000)
    assert.equal(
      estimateWaitMs({ runningForMs: [5_000], averageMs: 200 }, 0),
      5_000,
      'overdue calls run as long again, too',
    )
  })

  it('weights recent durations more', () => {
    const averages = new MovingAverages()
    assert.equal(averages.get('a'), undefined)
    averages.record('a', 100)
    for (let at = 0; at < 30; at++) averages.record('a', 1_000)
    assert.ok((averages.get('a') ?? 0) > 900)
  })
})
