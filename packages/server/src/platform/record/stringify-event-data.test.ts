import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stringifyEventData } from './record-store.ts'

const MAX_BYTES = 16_000

describe('stringifyEventData', () => {
  it('leaves data of up to 16,000 bytes unchanged', () => {
    for (const name of ['a'.repeat(15_900), 'ä'.repeat(7_900)]) {
      const data = { account: { name, list: ['x'] }, reason: null }
      assert.deepEqual(JSON.parse(stringifyEventData(data)), data)
    }
  })

  it('cuts the longest arrays to what fits, keeps their first items, and lists their paths', () => {
    const redirectURLs = Array.from(
      { length: 100 },
      (_, at) => `https://${at}.example/${'é'.repeat(1_000)}`,
    )
    const allowedOrigins = ['https://app.example']
    const json = stringifyEventData({ link: { linkId: 'lnk_1', redirectURLs, allowedOrigins } })
    assert.ok(Buffer.byteLength(json) <= MAX_BYTES, String(json.length))
    assert.ok(Buffer.byteLength(json) > MAX_BYTES - 4_000, 'no more than necessary is cut')
    const { link, truncated } = JSON.parse(json)
    assert.deepEqual(truncated, ['link.redirectURLs'])
    assert.deepEqual(link.allowedOrigins, allowedOrigins)
    assert.deepEqual(link.redirectURLs, redirectURLs.slice(0, link.redirectURLs.length))
  })

  it('cuts several arrays, and texts only where that is not enough', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `item ${at}`)
    const one = { a: { first: [...many, 'x'.repeat(30_000)], second: many, third: many, id: 'a' } }
    const cut = JSON.parse(stringifyEventData(one))
    assert.ok(Buffer.byteLength(JSON.stringify(cut)) <= MAX_BYTES)
    assert.deepEqual([cut.a.id, cut.truncated.includes('a.id')], ['a', false])
    const texts = { a: { name: '\ud83d\ude00'.repeat(9_000), id: 'a' }, list: many }
    const { a, truncated } = JSON.parse(stringifyEventData(texts))
    assert.deepEqual(truncated, ['list', 'a.name'])
    assert.equal(a.name, '\ud83d\ude00'.repeat(100))
  })
})
