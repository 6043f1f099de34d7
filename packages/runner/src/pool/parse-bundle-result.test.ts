import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseBundleResult } from './call.ts'

describe('parseBundleResult', () => {
  it('parses any JSON without __proto__ like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (json) => {
        const expected = JSON.parse(json, (key, value) => (key === '__proto__' ? undefined : value))
        assert.deepEqual(parseBundleResult(json.toWellFormed())?.value, expected)
      }),
      { verbose: true },
    )
  })

  it('drops keys named __proto__ at any depth', () => {
    const parsed = parseBundleResult('[{"__proto__":{"a":1},"b":{"__proto__":2}}]')
    assert.deepEqual(parsed, { value: [{ b: {} }] })
    assert.equal(Reflect.get({}, 'a'), undefined)
  })

  it('rejects more than 50,000 values, and ignores commas and brackets in strings', () => {
    assert.notEqual(parseBundleResult(JSON.stringify(Array(49_999).fill(0))), undefined)
    assert.equal(parseBundleResult(JSON.stringify(Array(50_001).fill(0))), undefined)
    const text = '[,"\\\\[,'.repeat(20_000)
    assert.deepEqual(parseBundleResult(JSON.stringify(text)), { value: text })
  })

  it('rejects invalid JSON, and values nested deeper than 100 levels', () => {
    assert.equal(parseBundleResult('{'), undefined)
    assert.equal(parseBundleResult(''), undefined)
    assert.notEqual(parseBundleResult('['.repeat(100) + ']'.repeat(100)), undefined)
    assert.equal(parseBundleResult('['.repeat(102) + ']'.repeat(102)), undefined)
    assert.equal(parseBundleResult('['.repeat(400_000) + ']'.repeat(400_000)), undefined)
  })
})
