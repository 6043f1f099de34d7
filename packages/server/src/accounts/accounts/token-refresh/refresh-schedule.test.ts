import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  getBackOffMs,
  getClientErrorBackoff,
  getRefreshTime,
  MIN_TOKEN_TTL_MS,
} from './refresh-schedule.ts'

const NOW = 1_800_000_000_000
const HOUR = 3_600_000
const returnLowest = () => 0
const median = () => 0.5
/** The maximum of `Math.random`. */
const returnHighest = () => 1 - Number.EPSILON

describe('getRefreshTime', () => {
  it('is after 65 to 90 % of the TTL', () => {
    assert.equal(getRefreshTime(NOW, NOW + HOUR, median), NOW + 0.775 * HOUR)
    assert.equal(getRefreshTime(NOW, NOW + HOUR, returnLowest), NOW + 0.65 * HOUR)
    assert.ok(
      Math.abs(Number(getRefreshTime(NOW, NOW + HOUR, returnHighest)) - (NOW + 0.9 * HOUR)) <= 1,
    )
  })

  it('spreads tokens of one hour that were issued in one minute over a quarter of an hour, evenly', () => {
    const perMinute = new Map<number, number>()
    for (let index = 0; index < 15_000; index++) {
      const issuedAt = NOW + (index % 60) * 1_000
      const minute = Math.floor((getRefreshTime(issuedAt, issuedAt + HOUR) - NOW) / 60_000)
      perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1)
    }
    assert.ok(Math.max(...perMinute.values()) < 1_300, String([...perMinute]))
  })

  it('is at least a minute before the expiry for a TTL of two minutes or more', () => {
    for (const ttlMs of [2 * MIN_TOKEN_TTL_MS, 3 * MIN_TOKEN_TTL_MS, 5 * MIN_TOKEN_TTL_MS]) {
      const remainingMs = NOW + ttlMs - Number(getRefreshTime(NOW, NOW + ttlMs, returnHighest))
      assert.ok(remainingMs >= MIN_TOKEN_TTL_MS, `${remainingMs} ms left of ${ttlMs}`)
    }
  })

  it('is a fraction of a TTL below two minutes, so that not every use refreshes', () => {
    for (const ttlMs of [10_000, 60_000, 2 * MIN_TOKEN_TTL_MS - 1]) {
      assert.equal(getRefreshTime(NOW, NOW + ttlMs, median), Math.floor(NOW + 0.775 * ttlMs))
      assert.ok(Number(getRefreshTime(NOW, NOW + ttlMs, returnHighest)) < NOW + ttlMs)
    }
  })

  it('is now for a token that has already expired', () => {
    assert.equal(getRefreshTime(NOW, NOW, median), NOW)
    assert.equal(getRefreshTime(NOW, NOW - HOUR, median), NOW - HOUR)
  })

  it('spreads tokens issued together over whole milliseconds between now and the expiry', () => {
    const ttlMs = randomInt(1_000, 90 * 24 * HOUR)
    const times = Array.from({ length: 200 }, () => Number(getRefreshTime(NOW, NOW + ttlMs)))
    for (const time of times)
      assert.ok(Number.isSafeInteger(time) && time > NOW && time < NOW + ttlMs, `life ${ttlMs}`)
    assert.ok(new Set(times).size > 20, `life ${ttlMs}`)
  })
})

describe('backOffMs', () => {
  it('starts at 30 seconds and doubles', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((failures) => getBackOffMs(failures, 0, median))
    assert.deepEqual(waits, [30_000, 60_000, 120_000, 240_000, 480_000, 960_000, 1_920_000])
  })

  it('is capped at one hour', () => {
    for (const failures of [8, 9, 50, 5_000, 2 ** 31])
      assert.equal(getBackOffMs(failures, 0, median), HOUR)
  })

  it('has a jitter of ±20 %', () => {
    for (const failures of [1, 4, 20]) {
      const wait = getBackOffMs(failures, 0, median)
      assert.equal(getBackOffMs(failures, 0, returnLowest), 0.8 * wait)
      assert.ok(getBackOffMs(failures, 0, returnHighest) >= 1.2 * wait - 1)
      assert.ok(getBackOffMs(failures, 0, returnHighest) <= 1.2 * wait)
    }
  })

  it('respects a longer Retry-After, up to one day', () => {
    assert.equal(getBackOffMs(1, 120_000, returnLowest), 120_000)
    assert.equal(getBackOffMs(1, 5_000, median), 30_000)
    assert.equal(getBackOffMs(1, 365 * 24 * HOUR, median), 24 * HOUR)
  })

  it('spreads accounts with the same Retry-After, and none returns early', () => {
    assert.equal(getBackOffMs(1, 120_000, median), 135_000)
    assert.ok(Math.abs(getBackOffMs(1, 120_000, returnHighest) - 150_000) <= 1)
  })
})

describe('clientErrorBackoff', () => {
  it('is between 15 and 30 minutes', () => {
    assert.equal(getClientErrorBackoff(returnLowest), HOUR / 4)
    assert.ok(getClientErrorBackoff(returnHighest) <= HOUR / 2)
    assert.ok(getClientErrorBackoff(returnHighest) >= HOUR / 2 - 1)
  })
})
