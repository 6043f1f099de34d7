import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { callWithTimeout, isTimeoutError } from './call-with-timeout.ts'

describe('callWithTimeout', () => {
  it('returns what the function returns and throws what it throws', () => {
    assert.equal(
      callWithTimeout(100, () => 5),
      5,
    )
    const error = new RangeError('mine')
    assert.throws(
      () =>
        callWithTimeout(100, () => {
          throw error
        }),
      (thrown) => thrown === error && !isTimeoutError(thrown),
    )
  })

  it('stops a function that takes too long', () => {
    const start = performance.now()
    assert.throws(
      () =>
        callWithTimeout(50, () => {
          for (;;);
        }),
      isTimeoutError,
    )
    assert.ok(performance.now() - start < 10_000)
  })
})
