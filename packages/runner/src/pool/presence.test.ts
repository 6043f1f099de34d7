import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Presence } from './presence.ts'

describe('Presence', () => {
  it('treats a tenant as alone until another one is active, and again 10 s after that one was', () => {
    const presence = new Presence()
    assert.ok(presence.note('a', 0))
    assert.ok(presence.note('a', 5_000))
    assert.ok(presence.isSingle(5_000))
    assert.ok(!presence.note('b', 6_000))
    assert.ok(!presence.isSingle(6_000))
    assert.ok(!presence.note('a', 15_999))
    assert.ok(!presence.isSingle(15_999))
    assert.ok(presence.isSingle(16_000))
  })

  it('tracks at most 1,000 tenants', () => {
    const presence = new Presence()
    for (let tenant = 0; tenant < 3_000; tenant++) presence.note(`tenant-${tenant}`, 1)
    assert.ok(!presence.isSingle(1))
    assert.ok(presence.note('a', 20_000))
  })
})
