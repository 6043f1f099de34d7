import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { IsolationPolicy } from './pool.ts'

const MINUTE_MS = 60_000

describe('Throttle', () => {
  it('isolates all bundles of a workspace that exceeded its CPU time, and no other workspace', () => {
    let now = 1e12
    const throttle = new IsolationPolicy(() => now)
    throttle.recordOffense('a')
    assert.ok(throttle.isIsolated('a', 'one digest'))
    assert.ok(throttle.isIsolated('a', 'another digest'))
    assert.ok(!throttle.isIsolated('b', 'one digest'))
    now += MINUTE_MS + 1
    assert.ok(!throttle.isIsolated('a', 'one digest'))
  })

  it('throttles a repeat offender for twice as long each time, up to 15 minutes', () => {
    let now = 1e12
    const throttle = new IsolationPolicy(() => now)
    for (const minutes of [1, 2, 4, 8, 15, 15]) {
      throttle.recordOffense('a')
      now += minutes * MINUTE_MS - 1
      assert.ok(throttle.isThrottled('a'), `${minutes} minutes`)
      now += 2
      assert.ok(!throttle.isThrottled('a'), `${minutes} minutes`)
    }
    now += 31 * MINUTE_MS
    throttle.recordOffense('a')
    now += MINUTE_MS + 1
    assert.ok(!throttle.isThrottled('a'), 'resets after half an hour without an offence')
  })

  it('throttles a workspace whose calls compute in long stretches, even with different bundles', () => {
    let now = 1e12
    const throttle = new IsolationPolicy(() => now)
    for (let at = 0; at < 1_000; at++) throttle.recordStep('usual', 35)
    assert.ok(!throttle.isThrottled('usual'))
    for (let at = 0; at < 5; at++) throttle.recordStep('hog', 170)
    assert.ok(throttle.isThrottled('hog'))
    for (let at = 0; at < 50; at++) {
      throttle.recordStep('seldom', 150)
      now += 10_000
    }
    assert.ok(!throttle.isThrottled('seldom'))
  })

  it('isolates a preempted bundle for ten minutes, but not its workspace', () => {
    let now = 1e12
    const throttle = new IsolationPolicy(() => now)
    throttle.recordPreemption('a', 'heavy')
    assert.ok(throttle.isIsolated('a', 'heavy'))
    assert.ok(!throttle.isIsolated('a', 'light'))
    assert.ok(!throttle.isIsolated('b', 'heavy'))
    now += 10 * MINUTE_MS + 1
    assert.ok(!throttle.isIsolated('a', 'heavy'))
  })
})
