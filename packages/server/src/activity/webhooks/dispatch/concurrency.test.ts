import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Concurrency } from './endpoint-worker.ts'
import type { AttemptResult } from './plan-settlement.ts'

const delivery = { sequence: 1, round: 0, subject: 'acc_1', attempts: 0, createdAt: 0 }
const base = { delivery, disables: false, isProbe: false, ms: 1, response: '', retryAfterMs: null }
const delivered: AttemptResult = { ...base, outcome: 'delivered', status: 200, code: null }
const fail = (status: number | null, code: string): AttemptResult => ({
  ...base,
  outcome: 'failed',
  status,
  code,
})

describe('Concurrency', () => {
  it('is what the owner of the endpoint allows, at once when that changes', () => {
    const concurrency = new Concurrency()
    assert.deepEqual([concurrency.getLimit(8), concurrency.getLimit(64)], [8, 64])
  })

  it('is halved, down to 1, for 429, 502, 503, 504 and timeouts, and for nothing else', () => {
    for (const result of [429, 502, 503, 504].map((status) => fail(status, `status_${status}`))) {
      const concurrency = new Concurrency()
      concurrency.count(result, 8)
      assert.equal(concurrency.getLimit(8), 4, String(result.status))
    }
    const concurrency = new Concurrency()
    for (const limit of [4, 2, 1, 1]) {
      concurrency.count(fail(null, 'timeout'), 8)
      assert.equal(concurrency.getLimit(8), limit)
    }
    const other = new Concurrency()
    for (const result of [fail(500, 'status_500'), fail(null, 'unreachable')])
      other.count(result, 8)
    assert.equal(other.getLimit(8), 8)
  })

  it('grows by one per 20 successes, counted from the last overload', () => {
    const concurrency = new Concurrency()
    concurrency.count(fail(503, 'status_503'), 8)
    for (let count = 0; count < 19; count += 1) concurrency.count(delivered, 8)
    assert.equal(concurrency.getLimit(8), 4)
    concurrency.count(delivered, 8)
    assert.equal(concurrency.getLimit(8), 5)
    for (let count = 0; count < 19; count += 1) concurrency.count(delivered, 8)
    concurrency.count(fail(503, 'status_503'), 8)
    concurrency.count(delivered, 8)
    assert.equal(concurrency.getLimit(8), 2)
  })
})
