import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseNumber } from './parse-number.ts'

describe('parseNumber', () => {
  it('parses numbers in the digits of all our languages', () => {
    const parseAll = (texts: readonly string[]) => texts.map(parseNumber)
    assert.deepEqual(parseAll(['8443', ' 7 ', '-1.5', '.5', '1e3']), [8443, 7, -1.5, 0.5, 1000])
    assert.deepEqual(parseAll(['0,5', '0,125', '-3,25', '1,5000']), [0.5, 0.125, -3.25, 1.5])
    assert.deepEqual(parseAll(['٨٤٤٣', '٠٫٥']), [8443, 0.5])
  })

  it('rejects ambiguous separators', () => {
    for (const text of ['', 'a', '1,500', '1,2,3', '1.5.5', '0x1f', '1 000', 'Infinity'])
      assert.equal(parseNumber(text), undefined, text)
  })
})
