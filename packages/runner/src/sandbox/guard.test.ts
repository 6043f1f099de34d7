import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guarded, wasStopped } from './guard.ts'

describe('guarded', () => {
  it('answers what the function answers and throws what it throws', () => {
    assert.equal(
      guarded(100, () => 5),
      5,
    )
    const error = new RangeError('mine')
    assert.throws(
      () =>
        guarded(100, () => {
          throw error
        }),
      (thrown) => thrown === error && !wasStopped(thrown),
    )
  })

  it('stops a function that takes too long', () => {
    const start = performance.now()
    assert.throws(
      () =>
        guarded(50, () => {
          for (;;);
        }),
      wasStopped,
    )
    assert.ok(performance.now() - start < 10_000)
  })
})
