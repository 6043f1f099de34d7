import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/database.ts'
import { openDatabase } from '../../platform/storage/open-database.ts'
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts'
import { createShareRates } from './request-rates.ts'

const START = 60_000 * 1_000

function startLimiter() {
  const clock = { now: START }
  return { clock, limiter: createRateLimiter(() => clock.now) }
}

function take(limiter: RateLimiter, key = 'a', limit = 10): number {
  try {
    limiter.take(key, limit)
    return 0
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'rate_limited')
    const seconds = Number(error.headers?.['retry-after'])
    assert.ok(Number.isInteger(seconds) && seconds >= 1, String(seconds))
    return seconds
  }
}

const countTaken = (attempts: number, attempt: () => number) =>
  Array.from({ length: attempts }, attempt).filter((seconds) => seconds === 0).length

describe('createRateLimiter', () => {
  it('accepts the limit in any 60 seconds, and not more', () => {
    const { clock, limiter } = startLimiter()
    clock.now += 50_000
    assert.equal(
      countTaken(20, () => take(limiter)),
      10,
    )
    clock.now += 10_000
    assert.equal(
      take(limiter) > 0,
      true,
      'the next minute has begun, but the requests are 10 s old',
    )
    clock.now += 30_000
    assert.equal(
      countTaken(20, () => take(limiter)),
      5,
    )
    clock.now += 90_000
    assert.equal(
      countTaken(20, () => take(limiter)),
      10,
    )
  })

  it('the request after Retry-After is accepted, and one second earlier it is not', () => {
    for (const at of [0, 1_234, 59_999]) {
      const { clock, limiter } = startLimiter()
      clock.now += at
      countTaken(10, () => take(limiter))
      const seconds = take(limiter)
      clock.now += (seconds - 1) * 1_000 - 1
      assert.notEqual(take(limiter), 0, `at ${at}, before ${seconds} s`)
      clock.now += 1_001
      assert.equal(take(limiter), 0, `at ${at}, after ${seconds} s`)
    }
  })

  it('counts keys apart, and neither rejected requests nor those that are given back', () => {
    const { clock, limiter } = startLimiter()
    assert.equal(
      countTaken(100, () => take(limiter)),
      10,
    )
    assert.equal(take(limiter, 'b'), 0)
    clock.now += 120_000
    const window = limiter.take('a', 10)
    assert.deepEqual(limiter.describe(window), { remaining: 9, seconds: 60 })
    limiter.giveBack(window)
    assert.equal(
      countTaken(100, () => take(limiter)),
      10,
    )
  })

  it('remembers a bounded number of keys', () => {
    const { limiter } = startLimiter()
    for (let key = 0; key < 120_000; key += 1) limiter.take(`key ${key}`, 1)
    assert.equal(
      countTaken(120_000, () => 0),
      120_000,
    )
    assert.equal(take(limiter, 'key 119999', 1) > 0, true, 'a recent key is remembered')
    assert.equal(take(limiter, 'key 0', 1), 0, 'an old one is forgotten')
  })
})

const LIMIT = 3_000

describeOnBothDatabases('Rates of three nodes', (newUrl) => {
  let database: Database
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'linchpin-rates-'))
    database = await openDatabase({ url: await newUrl(), file: path.join(folder, 'linchpin.db') })
    await database.migrate()
  })
  after(async () => {
    await database.close()
    await rm(folder, { recursive: true })
  })

  /** Sends `factor` times the limit in a minute, evenly, over three nodes. Returns what was accepted, in limits. */
  const send = async (factor: number, isShared: boolean): Promise<number> => {
    const clock = { now: START }
    const key = `r:${factor}-${isShared}`
    const nodes = [1, 2, 3].map(() => createRateLimiter(() => clock.now))
    const shares = nodes.map((limiter) => createShareRates({ limiter, database }))
    let accepted = 0
    for (let second = 0; second < 60; second += 1) {
      for (let sent = 0; sent < (LIMIT * factor) / 60; sent += 1) {
        clock.now = START + second * 1_000 + Math.floor((sent * 60_000) / (LIMIT * factor))
        const limiter = nodes[sent % 3] ?? assert.fail()
        if (take(limiter, key, LIMIT) === 0) accepted += 1
      }
      if (isShared) for (const share of shares) await share()
    }
    return accepted / LIMIT
  }

  it('ten times the limit: at most 1.2 times is accepted, and 3 times if nodes do not share', async (t) => {
    const [shared, alone] = [await send(10, true), await send(10, false)]
    t.diagnostic(`accepted: ${shared} of the limit, ${alone} without sharing`)
    assert.ok(shared >= 0.95 && shared <= 1.2, String(shared))
    assert.ok(alone >= 2.9, String(alone))
  })

  it('1.1 times the limit: at most 1.02 times is accepted; below the limit, everything', async () => {
    const [above, below] = [await send(1.1, true), await send(0.9, true)]
    assert.ok(above <= 1.02, String(above))
    assert.equal(below, 0.9)
  })
})
