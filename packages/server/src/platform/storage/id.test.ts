import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isId, newId, newLinkId } from './id.ts'

const NOW = 1_790_000_000_123

describe('Ids', () => {
  it('are UUIDv7 in Crockford base32 that start with the time', () => {
    const id = newId('acc', NOW)
    assert.match(id, /^acc_[0-9a-hjkmnp-tv-z]{26}$/)
    const bits = [...id.slice(4)]
      .map((c) => ALPHABET.indexOf(c).toString(2).padStart(5, '0'))
      .join('')
    const uuid = BigInt(`0b${bits}`).toString(16).padStart(32, '0')
    assert.equal(Number.parseInt(uuid.slice(0, 12), 16), NOW)
    assert.equal(uuid[12], '7')
    assert.match(uuid[16] ?? '', /[89ab]/)
  })

  it('are unique and ascending within a millisecond, and across milliseconds', () => {
    const ids = Array.from({ length: 30_000 }, (_, index) => newId('tok', NOW + (index >> 14)))
    assert.equal(new Set(ids).size, ids.length)
    assert.deepEqual(ids, ids.toSorted())
  })

  it('of links have 160 random bits', () => {
    const ids = Array.from({ length: 1000 }, newLinkId)
    assert.equal(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^lnk_[0-9a-hjkmnp-tv-z]{32}$/)
    for (let index = 4; index < 36; index += 1) {
      assert.ok(new Set(ids.map((id) => id[index])).size > 25, `character ${index} hardly varies`)
    }
  })

  it('are recognized by their exact form', () => {
    for (let count = 0; count < 2000; count += 1) {
      assert.ok(isId('usr', newId('usr', NOW + count)))
      assert.ok(isId('lnk', newLinkId()))
    }
    const id = newId('acc', NOW)
    for (const invalidId of [
      '',
      'acc',
      'acc_',
      id.slice(0, -1),
      `${id}0`,
      `${id}\n`,
      ` ${id}`,
      id.toUpperCase(),
      id.replace('acc_', 'def_'),
      id.replace('acc_', 'acc-'),
      `${id.slice(0, -1)}u`,
      `acc_8${id.slice(5)}`,
      `${id.slice(0, 14)}0${id.slice(15)}`,
      newLinkId().replace('lnk', 'acc'),
    ]) {
      assert.equal(isId('acc', invalidId), false, invalidId)
    }
    assert.equal(isId('lnk', id.replace('acc', 'lnk')), false)
  })
})

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
