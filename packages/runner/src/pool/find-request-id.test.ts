import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findRequestId } from './call.ts'

describe('findRequestId', () => {
  it('finds the ID in the headers of providers, whatever their case', () => {
    assert.equal(findRequestId(['Content-Type', 'a/b', 'X-Request-ID', 'a-1']), 'a-1')
    assert.equal(findRequestId(['Request-Id', 'req_H1x.2:3/4=+']), 'req_H1x.2:3/4=+')
    assert.equal(findRequestId(['cf-ray', '8a-FRA', 'x-request-id', 'b']), 'b', 'its own ID first')
    assert.equal(findRequestId(['date', 'now']), undefined)
  })

  it('ignores what is no ID', () => {
    for (const value of ['', 'a b', 'a\nb', 'x'.repeat(129), 'é', '<b>', '"', '\u001b[31m'])
      assert.equal(findRequestId(['x-request-id', value]), undefined, value)
  })
})
