import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MainThreadShare } from './main-thread-share.ts'

/** A share whose clocks move only when a test moves them. */
function createTestShare() {
  const clock = { now: 1_000, busyMs: 500 }
  const share = new MainThreadShare({ now: () => clock.now, busyMs: () => clock.busyMs })
  /** Lets time pass, of which the event loop is busy for `busyMs`. */
  const pass = (ms: number, busyMs = 0) => {
    clock.now += ms
    clock.busyMs += busyMs
  }
  return { share, pass }
}

describe('MainThreadShare', () => {
  it('lets a tenant use half of the time indefinitely', () => {
    const { share, pass } = createTestShare()
    share.begin('a')
    for (let round = 0; round < 100; round++) {
      pass(10, 5)
      assert.equal(share.waitMs('a'), 0, `round ${round}`)
    }
  })

  it('delays a tenant that uses more until its use is down to half', () => {
    const { share, pass } = createTestShare()
    share.begin('a')
    pass(100, 100)
    const waitMs = share.waitMs('a')
    assert.ok(waitMs > 0 && waitMs <= 102, `${waitMs} ms`)
    share.end('a')
    pass(waitMs)
    assert.equal(share.waitMs('a'), 0)
    assert.equal(share.waitMs('b'), 0)
  })

  it('divides the time among the active requests, and charges no tenant when there are none', () => {
    const { share, pass } = createTestShare()
    pass(10, 10_000)
    share.begin('quiet')
    for (let request = 0; request < 7; request++) share.begin('loud')
    pass(80, 80)
    assert.ok(share.waitMs('loud') > 0)
    assert.equal(share.waitMs('quiet'), 0)
    for (let request = 0; request < 7; request++) share.end('loud')
    share.end('quiet')
    pass(200)
    pass(0, 5_000)
    assert.equal(share.waitMs('loud'), 0)
    assert.equal(share.waitMs('quiet'), 0)
  })

  it('limits the debt, so that no tenant waits for long', () => {
    const { share } = createTestShare()
    share.charge('a', 60_000)
    assert.ok(share.waitMs('a') <= 202)
  })
})
