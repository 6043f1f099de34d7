import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getTokenTiming } from './refresh-schedule.ts'

const NOW = 1_800_000_000_000
const HOUR = 3_600_000

describe('getTokenTiming', () => {
  it('keeps the reported expiry and TTL', () => {
    const { tokenExpiresAt, tokenTtlMs, refreshAt } = getTokenTiming(
      NOW,
      NOW + HOUR,
      7,
      'refresh_token',
    )
    assert.deepEqual([tokenExpiresAt, tokenTtlMs], [NOW + HOUR, HOUR])
    assert.ok(refreshAt !== null && refreshAt > NOW && refreshAt < NOW + HOUR)
  })

  it('reuses the previous TTL when no expiry is reported', () => {
    const { tokenExpiresAt, tokenTtlMs } = getTokenTiming(NOW, undefined, HOUR, 'refresh_token')
    assert.deepEqual([tokenExpiresAt, tokenTtlMs], [NOW + HOUR, HOUR])
  })

  it('leaves an unknown expiry empty and schedules a refresh within an hour', () => {
    for (const [reportedExpiry, ttlMs] of [
      [undefined, null],
      [null, HOUR],
    ] as const) {
      const { tokenExpiresAt, tokenTtlMs, refreshAt } = getTokenTiming(
        NOW,
        reportedExpiry,
        ttlMs,
        'refresh_token',
      )
      assert.deepEqual([tokenExpiresAt, tokenTtlMs], [null, ttlMs])
      assert.ok(refreshAt !== null && refreshAt > NOW + HOUR / 2 && refreshAt < NOW + HOUR)
    }
  })

  it('schedules a token without a refresh token at its expiry, or never without an expiry', () => {
    assert.equal(getTokenTiming(NOW, NOW + HOUR, null, undefined).refreshAt, NOW + HOUR)
    assert.equal(getTokenTiming(NOW, undefined, null, undefined).refreshAt, null)
  })

  it('stores no TTL for a token that has already expired', () => {
    assert.equal(getTokenTiming(NOW, NOW - 1, null, 'refresh_token').tokenTtlMs, null)
  })

  it('refreshes within an hour when the expiry is unknown, and exchanges on the second day', () => {
    const hours = (refreshedWith: 'refresh_token' | 'access_token') => {
      const { refreshAt } = getTokenTiming(NOW, undefined, null, refreshedWith)
      return (Number(refreshAt) - NOW) / HOUR
    }
    assert.ok(hours('refresh_token') >= 0.65 && hours('refresh_token') <= 0.9)
    assert.ok(hours('access_token') > 24 && hours('access_token') < 48)
  })
})
