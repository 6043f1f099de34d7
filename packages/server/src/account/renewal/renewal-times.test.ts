import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  backOffMs,
  LEAST_LIFE_MS,
  operatorWaitMs,
  renewTime,
  roundWaitMs,
} from './renewal-times.ts'

const NOW = 1_800_000_000_000
const HOUR = 3_600_000
const least = () => 0
const middle = () => 0.5
/** As much as `Math.random` ever says. */
const most = () => 1 - Number.EPSILON

describe('renewTime', () => {
  it('is after 80 % of the life, give or take a tenth of that', () => {
    assert.equal(renewTime(NOW, NOW + HOUR, middle), NOW + 0.8 * HOUR)
    assert.equal(renewTime(NOW, NOW + HOUR, least), NOW + 0.72 * HOUR)
    assert.ok(Math.abs(Number(renewTime(NOW, NOW + HOUR, most)) - (NOW + 0.88 * HOUR)) <= 1)
  })

  it('is within the hour when the end is unknown', () => {
    assert.equal(renewTime(NOW, null, middle), NOW + 0.8 * HOUR)
  })

  it('leaves a minute before the end, of any life of two minutes or more', () => {
    for (const life of [2 * LEAST_LIFE_MS, 3 * LEAST_LIFE_MS, 5 * LEAST_LIFE_MS]) {
      const left = NOW + life - Number(renewTime(NOW, NOW + life, most))
      assert.ok(left >= LEAST_LIFE_MS, `${left} ms left of ${life}`)
    }
  })

  it('is a part of the life when that is shorter than two minutes, so that not each use renews', () => {
    for (const life of [10_000, 60_000, 2 * LEAST_LIFE_MS - 1]) {
      assert.equal(renewTime(NOW, NOW + life, middle), Math.floor(NOW + 0.8 * life))
      assert.ok(Number(renewTime(NOW, NOW + life, most)) < NOW + life)
    }
  })

  it('is now for a token that has ended already', () => {
    assert.equal(renewTime(NOW, NOW, middle), NOW)
    assert.equal(renewTime(NOW, NOW - HOUR, middle), NOW - HOUR)
  })

  it('spreads tokens that were issued together, whole milliseconds between now and the end', () => {
    const life = randomInt(1_000, 90 * 24 * HOUR)
    const times = Array.from({ length: 200 }, () => Number(renewTime(NOW, NOW + life)))
    for (const time of times)
      assert.ok(Number.isSafeInteger(time) && time > NOW && time < NOW + life, `life ${life}`)
    assert.ok(new Set(times).size > 20, `life ${life}`)
  })
})

describe('backOffMs', () => {
  it('starts at half a minute and doubles', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((failures) => backOffMs(failures, 0, middle))
    assert.deepEqual(waits, [30_000, 60_000, 120_000, 240_000, 480_000, 960_000, 1_920_000])
  })

  it('ends its growth at an hour, however many failures there are', () => {
    for (const failures of [8, 9, 50, 5_000, 2 ** 31])
      assert.equal(backOffMs(failures, 0, middle), HOUR)
  })

  it('is spread by a fifth to both sides', () => {
    for (const failures of [1, 4, 20]) {
      const wait = backOffMs(failures, 0, middle)
      assert.equal(backOffMs(failures, 0, least), 0.8 * wait)
      assert.ok(backOffMs(failures, 0, most) >= 1.2 * wait - 1)
      assert.ok(backOffMs(failures, 0, most) <= 1.2 * wait)
    }
  })

  it('is as long as the provider asks, when that is longer, for a day at most', () => {
    assert.equal(backOffMs(1, 120_000, middle), 120_000)
    assert.equal(backOffMs(1, 5_000, middle), 30_000)
    assert.equal(backOffMs(1, 365 * 24 * HOUR, middle), 24 * HOUR)
  })
})

describe('operatorWaitMs', () => {
  it('is between 15 and 30 minutes', () => {
    assert.equal(operatorWaitMs(least), HOUR / 4)
    assert.ok(operatorWaitMs(most) <= HOUR / 2)
    assert.ok(operatorWaitMs(most) >= HOUR / 2 - 1)
  })
})

describe('roundWaitMs', () => {
  it('is what was asked for, give or take a quarter', () => {
    assert.equal(roundWaitMs(20_000, least), 15_000)
    assert.equal(roundWaitMs(20_000, middle), 20_000)
    assert.ok(Math.abs(roundWaitMs(20_000, most) - 25_000) < 1)
  })
})
