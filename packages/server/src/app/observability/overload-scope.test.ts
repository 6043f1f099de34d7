import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createOverloadScope } from './metrics.ts'

describe('The scope of an overload', () => {
  it('is that of a tenant while one or two are rejected, however often', () => {
    let at = 0
    const findScope = createOverloadScope(() => at)
    for (; at < 300_000; at += 1_000)
      assert.equal(findScope(at % 2_000 === 0 ? 'a' : 'b'), 'tenant')
  })

  it('is the service while three are rejected within a minute', () => {
    let at = 0
    const findScope = createOverloadScope(() => at)
    assert.deepEqual(['a', 'b', 'c', 'd', 'a'].map(findScope), [
      ...['tenant', 'tenant', 'service', 'service', 'service'],
    ])
    at += 60_001
    assert.equal(findScope('b'), 'tenant')
  })

  it('is the service for a request without a tenant', () => {
    assert.equal(createOverloadScope(() => 0)(undefined), 'service')
  })
})
