import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MainThreadShare } from './request-queue.ts'

/** A share whose clocks move only when a test moves them. */
function createTestShare() {
  const clock = { now: 1_000, busyMs: 500 }
  const share = new MainThreadShare({ now: () => clock.now, busyMs: () => clock.busyMs })
  /** Lets time pass, of which the event loop is busy for `busyMs`. */
  const advance = (ms: number, busyMs = 0) => {
    clock.now += ms
    clock.busyMs += busyMs
  }
  return { share, pass: advance }
}

describe('MainThreadShare', () => {
  it('lets a tenant use half of the time indefinitely', () => {
    const { share, pass: advance } = createTestShare()
    share.begin('a')
    for (let round = 0; round < 100; round++) {
      advance(10, 5)
      assert.equal(share.waitMs('a'), 0, `round ${round}`)
    }
  })

  it('delays a tenant that uses more until its use is down to half', () => {
    const { share, pass: advance } = createTestShare()
    share.begin('a')
    advance(100, 100)
    const waitMs = share.waitMs('a')
    assert.ok(waitMs > 0 && waitMs <= 102, `${waitMs} ms`)
    share.end('a')
    advance(waitMs)
    assert.equal(share.waitMs('a'), 0)
    assert.equal(share.waitMs('b'), 0)
  })

  it('divides the time among the active requests, and charges no tenant when there are none', () => {
    const { share, pass: advance } = createTestShare()
    advance(10, 10_000)
    share.begin('quiet')
    for (let request = 0; request < 7; request++) share.begin('loud')
    advance(80, 80)
    assert.ok(share.waitMs('loud') > 0)
    assert.equal(share.waitMs('quiet'), 0)
    for (let request = 0; request < 7; request++) share.end('loud')
    share.end('quiet')
    advance(200)
    advance(0, 5_000)
    assert.equal(share.waitMs('loud'), 0)
    assert.equal(share.waitMs('quiet'), 0)
  })

  it('limits the debt, so that no tenant waits for long', () => {
    const { share } = createTestShare()
    share.charge('a', 60_000)
    assert.ok(share.waitMs('a') <= 202)
  })
})
