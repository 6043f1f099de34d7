import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { generateAccessToken, hashSecret, isAccessToken } from './access-token.ts'

// Made with another implementation: Python's zlib.crc32 and a division loop of its own.
const VECTORS = [
  'lp_0000000000000000000000000000004OTg5y',
  'lp_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz26U5tF',
  'lp_0123456789ABCDEFGHIJKLMNOPQRST1v48qN',
  'lp_00000000000000000000000000010200FFQP',
]

describe('Access tokens', () => {
  it('isAccessToken accepts checksums that another implementation computed', () => {
    for (const token of VECTORS) assert.equal(isAccessToken(token), true, token)
  })

  it('newAccessToken returns lp_, 30 characters and a checksum of 6, unique every time', () => {
    const tokens = Array.from({ length: 1_000 }, generateAccessToken)
    for (const token of tokens) {
      assert.match(token, /^lp_[0-9A-Za-z]{36}$/)
      assert.equal(isAccessToken(token), true)
    }
    assert.equal(new Set(tokens).size, tokens.length)
    const letters = new Set(tokens.flatMap((token) => [...token.slice(3, 33)]))
    assert.equal(letters.size, 62, 'every character of the alphabet is used')
  })

  it('isAccessToken rejects every change of a single character', () => {
    const token = generateAccessToken()
    for (let index = 0; index < token.length; index++) {
      const other = token[index] === 'a' ? 'b' : 'a'
      const changed = token.slice(0, index) + other + token.slice(index + 1)
      assert.equal(isAccessToken(changed), false, `changed at ${index}`)
    }
  })

  it('isAccessToken rejects other lengths, prefixes, white space and characters', () => {
    const token = generateAccessToken()
    const wrong = ['', 'lp_', token.slice(0, -1), `${token}0`, ` ${token}`, `${token}\n`]
    wrong.push(token.replace('lp_', 'LP_'), token.replace('lp_', 'ims_'), `${token.slice(0, 38)}é`)
    for (const text of wrong) assert.equal(isAccessToken(text), false, JSON.stringify(text))
  })

  it('hashSecret uses SHA-256', () => {
    const token = generateAccessToken()
    const expected = createHash('sha256').update(token, 'ascii').digest()
    assert.deepEqual(Buffer.from(hashSecret(token)), expected)
  })
})
