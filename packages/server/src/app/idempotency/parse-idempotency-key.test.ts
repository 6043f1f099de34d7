import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError } from '../../platform/errors.ts'
import { parseIdempotencyKey } from './handle-idempotency-keys.ts'

describe('parseIdempotencyKey', () => {
  it('accepts 1 to 255 visible ASCII characters', () => {
    for (const key of ['a', '!~', "it's", '8e03978e-40d5-43e8-bc93-6894a57f9324', 'x'.repeat(255)])
      assert.equal(parseIdempotencyKey(key), key)
  })

  it('treats a quoted string as the same key', () => {
    assert.equal(parseIdempotencyKey('"abc"'), 'abc')
    assert.equal(parseIdempotencyKey('"a\\"b\\\\c"'), 'a"b\\c')
    assert.equal(parseIdempotencyKey(`"${'x'.repeat(255)}"`), 'x'.repeat(255))
  })

  it('rejects everything else with an error that names the header', () => {
    const invalid = ['', '""', 'two words', '"two words"', 'a, b', 'é', '\u007f', 'x'.repeat(256)]
    for (const key of [...invalid, '"abc', '"a"b"', '"a"; b=1', '"a\\b"', ['a', 'b']])
      assert.throws(
        () => parseIdempotencyKey(key),
        (error) => {
          assert.ok(error instanceof ApiError)
          assert.equal(error.code, 'invalid_parameter')
          assert.deepEqual(Object.keys(error.errors), ['Idempotency-Key'])
          return true
        },
        JSON.stringify(key),
      )
  })
})
