import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getTokenTiming } from './refresh-schedule.ts'

const NOW = 1_800_000_000_000
const HOUR = 3_600_000

describe('getTokenTiming', () => {
  it('keeps the reported expiry and TTL', () => {
    const { token_expires_at, token_life_ms, renew_at } = getTokenTiming(NOW, NOW + HOUR, 7, true)
    assert.deepEqual([token_expires_at, token_life_ms], [NOW + HOUR, HOUR])
    assert.ok(renew_at !== null && renew_at > NOW && renew_at < NOW + HOUR)
  })

  it('reuses the previous TTL when no expiry is reported', () => {
    const { token_expires_at, token_life_ms } = getTokenTiming(NOW, undefined, HOUR, true)
    assert.deepEqual([token_expires_at, token_life_ms], [NOW + HOUR, HOUR])
  })

  it('leaves an unknown expiry empty and schedules a refresh within an hour', () => {
    for (const [reportedExpiry, ttlMs] of [
      [undefined, null],
      [null, HOUR],
    ] as const) {
      const { token_expires_at, token_life_ms, renew_at } = getTokenTiming(
        NOW,
        reportedExpiry,
        ttlMs,
        true,
      )
      assert.deepEqual([token_expires_at, token_life_ms], [null, ttlMs])
      assert.ok(renew_at !== null && renew_at > NOW + HOUR / 2 && renew_at < NOW + HOUR)
    }
  })

  it('schedules a token without a refresh token at its expiry, or never without an expiry', () => {
    assert.equal(getTokenTiming(NOW, NOW + HOUR, null, false).renew_at, NOW + HOUR)
    assert.equal(getTokenTiming(NOW, undefined, null, false).renew_at, null)
  })

  it('stores no TTL for a token that has already expired', () => {
    assert.equal(getTokenTiming(NOW, NOW - 1, null, true).token_life_ms, null)
  })
})
