import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readNumber } from './read-number.ts'

describe('readNumber', () => {
  it('reads numbers as people write them in our languages', () => {
    const read = (texts: readonly string[]) => texts.map(readNumber)
    assert.deepEqual(read(['8443', ' 7 ', '-1.5', '.5', '1e3']), [8443, 7, -1.5, 0.5, 1000])
    assert.deepEqual(read(['0,5', '0,125', '-3,25', '1,5000']), [0.5, 0.125, -3.25, 1.5])
    assert.deepEqual(read(['٨٤٤٣', '٠٫٥']), [8443, 0.5])
  })

  it('does not guess', () => {
    for (const text of ['', 'a', '1,500', '1,2,3', '1.5.5', '0x1f', '1 000', 'Infinity'])
      assert.equal(readNumber(text), undefined, text)
  })
})
