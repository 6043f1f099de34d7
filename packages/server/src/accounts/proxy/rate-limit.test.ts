import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RateLimitHeaders } from '@linchpin/runner'
import { addRetryAfter } from './rate-limit.ts'

const NOW = 1_700_000_000_000
const EPOCH = { remaining: 'X-Left', reset: 'X-Reset', unit: 'epoch' } as const
const SECONDS = { ...EPOCH, unit: 'seconds' } as const

const getRetryAfter = (
  declared: RateLimitHeaders | undefined,
  headers: readonly string[],
  status = 429,
) => {
  const spec = { auth_specification: {}, ...(declared && { 'x-rate-limit': declared }) }
  const { rawHeaders } = addRetryAfter({ status, rawHeaders: ['A', 'b', ...headers] }, spec, NOW)
  return rawHeaders.slice(2 + headers.length)
}

describe('addRetryAfter', () => {
  it('says in seconds when there are more requests', () => {
    assert.deepEqual(getRetryAfter(EPOCH, ['x-reset', '1700000030']), ['retry-after', '30'])
    assert.deepEqual(getRetryAfter(SECONDS, ['x-reset', '12.2']), ['retry-after', '13'])
    assert.deepEqual(getRetryAfter(SECONDS, ['X-RESET', '5'], 503), ['retry-after', '5'])
    assert.deepEqual(getRetryAfter(EPOCH, ['x-reset', '1699999999']), ['retry-after', '1'])
  })

  it('changes nothing that it does not understand', () => {
    for (const value of ['', 'soon', '-5', '1e3', '0x10', '1700000030000', '9'.repeat(400)])
      assert.deepEqual(getRetryAfter(EPOCH, ['X-Reset', value]), [], value)
    assert.deepEqual(getRetryAfter(EPOCH, []), [])
    assert.deepEqual(getRetryAfter(undefined, ['X-Reset', '5']), [])
    assert.deepEqual(getRetryAfter({ remaining: 'X-Left' }, ['X-Reset', '5']), [])
    assert.deepEqual(getRetryAfter(SECONDS, ['X-Reset', '5'], 200), [])
    assert.deepEqual(getRetryAfter(SECONDS, ['X-Reset', '5', 'Retry-After', '9']), [])
  })
})
