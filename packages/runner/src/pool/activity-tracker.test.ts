import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ActivityTracker } from './fair-queue.ts'

describe('Presence', () => {
  it('treats a tenant as alone until another one is active, and again 10 s after that one was', () => {
    const tracker = new ActivityTracker()
    assert.ok(tracker.recordActivity('a', 0))
    assert.ok(tracker.recordActivity('a', 5_000))
    assert.ok(tracker.isSingle(5_000))
    assert.ok(!tracker.recordActivity('b', 6_000))
    assert.ok(!tracker.isSingle(6_000))
    assert.ok(!tracker.recordActivity('a', 15_999))
    assert.ok(!tracker.isSingle(15_999))
    assert.ok(tracker.isSingle(16_000))
  })

  it('tracks any number of tenants', () => {
    const tracker = new ActivityTracker()
    for (let tenant = 0; tenant < 3_000; tenant++) tracker.recordActivity(`tenant-${tenant}`, 1)
    assert.ok(!tracker.isSingle(1))
    assert.ok(!tracker.recordActivity('tenant-2999', 10_000))
    assert.ok(tracker.recordActivity('tenant-2999', 10_001))
    assert.ok(!tracker.recordActivity('a', 20_000))
  })
})
