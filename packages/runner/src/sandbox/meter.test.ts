import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Meter } from './meter.ts'

/** Passes wall time, but no CPU time. */
const sleepSync = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const compute = (ms: number) => {
  const start = process.threadCpuUsage().user
  while (process.threadCpuUsage().user - start < ms * 1_000);
}

describe('Meter.forcedStopAt', () => {
  it('does not count the time in which a busy machine does not run the thread', () => {
    const meter = new Meter(20, 60_000)
    meter.start()
    const first = meter.forcedStopAt()
    sleepSync(500)
    assert.ok(performance.now() > first, 'the limit has passed on the clock')
    assert.ok(meter.forcedStopAt() > performance.now())
    assert.equal(meter.isExpired(), false)
  })

  it('has passed once the guest has computed for too long, or the call is over', () => {
    const computed = new Meter(20, 60_000)
    computed.start()
    compute(400)
    assert.ok(computed.forcedStopAt() <= performance.now())
    assert.equal(computed.isExpired(), true)
    assert.equal(computed.stopReason, 'cpu')
    const late = new Meter(60_000, 20)
    late.start()
    sleepSync(400)
    assert.ok(late.forcedStopAt() <= performance.now())
    assert.equal(late.isExpired(), true)
    assert.equal(late.stopReason, 'wall')
  })
})
