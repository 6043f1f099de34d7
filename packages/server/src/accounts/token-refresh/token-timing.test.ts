import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getTokenTiming } from './refresh-schedule.ts'

const NOW = 1_800_000_000_000
const HOUR = 3_600_000

describe('tokenTimes', () => {
  it('keeps the end that was told, and how long that is', () => {
    const { token_expires_at, token_life_ms, renew_at } = getTokenTiming(NOW, NOW + HOUR, 7, true)
    assert.deepEqual([token_expires_at, token_life_ms], [NOW + HOUR, HOUR])
    assert.ok(renew_at !== null && renew_at > NOW && renew_at < NOW + HOUR)
  })

  it('takes the life that was told before for one that was not told', () => {
    const { token_expires_at, token_life_ms } = getTokenTiming(NOW, undefined, HOUR, true)
    assert.deepEqual([token_expires_at, token_life_ms], [NOW + HOUR, HOUR])
  })

  it('knows no end that nobody ever told, or of a token of somebody else, and renews within the hour', () => {
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

  it('comes back at the end of a token that nothing renews, and never where there is none', () => {
    assert.equal(getTokenTiming(NOW, NOW + HOUR, null, false).renew_at, NOW + HOUR)
    assert.equal(getTokenTiming(NOW, undefined, null, false).renew_at, null)
  })

  it('remembers no life of a token that has ended already', () => {
    assert.equal(getTokenTiming(NOW, NOW - 1, null, true).token_life_ms, null)
  })
})
