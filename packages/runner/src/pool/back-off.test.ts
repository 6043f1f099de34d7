import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BackOff } from './child-supervisor.ts'

describe('BackOff', () => {
  it('replaces the first few at once, waits longer and longer in a crash loop, and resets after half a minute', () => {
    let now = 0
    const backOff = new BackOff(() => now)
    const waits = Array.from({ length: 12 }, () => backOff.recordLoss())
    assert.deepEqual(waits.slice(0, 6), [0, 0, 0, 0, 200, 400])
    assert.equal(waits.at(-1), 5_000)
    now = 31_000
    assert.equal(backOff.recordLoss(), 0)
  })
})
