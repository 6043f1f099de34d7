import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ActivityTracker } from './activity-tracker.ts'

describe('Presence', () => {
  it('treats a tenant as alone until another one is active, and again 10 s after that one was', () => {
    const presence = new ActivityTracker()
    assert.ok(presence.recordActivity('a', 0))
    assert.ok(presence.recordActivity('a', 5_000))
    assert.ok(presence.isSingle(5_000))
    assert.ok(!presence.recordActivity('b', 6_000))
    assert.ok(!presence.isSingle(6_000))
    assert.ok(!presence.recordActivity('a', 15_999))
    assert.ok(!presence.isSingle(15_999))
    assert.ok(presence.isSingle(16_000))
  })

  it('tracks at most 1,000 tenants', () => {
    const presence = new ActivityTracker()
    for (let tenant = 0; tenant < 3_000; tenant++) presence.recordActivity(`tenant-${tenant}`, 1)
    assert.ok(!presence.isSingle(1))
    assert.ok(presence.recordActivity('a', 20_000))
  })
})
