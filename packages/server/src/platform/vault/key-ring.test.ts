import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { parseKeys } from './key-ring.ts'

describe('parseKeys', () => {
  it('parseKeys returns keys in order', () => {
    const [a, b] = [randomBytes(32), randomBytes(32)]
    const keys = parseKeys(` new.1:${a.toString('base64')} , old_2:${b.toString('base64')}`)
    assert.deepEqual(
      keys.map(({ id, key }) => [id, key.export().equals(id === 'new.1' ? a : b)]),
      [
        ['new.1', true],
        ['old_2', true],
      ],
    )
  })

  it('parseKeys accepts a key per line, so that LINCHPIN_KEYS_FILE may name a key file', () => {
    const [a, b] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64'))
    for (const separator of ['\n', '\r\n', '\n\n', ',\n'])
      assert.deepEqual(
        parseKeys(`\n1:${a}${separator}2:${b}\r\n`).map(({ id }) => id),
        ['1', '2'],
      )
    assert.throws(() => parseKeys(`1:${a},,2:${b}`), /key 2 is not/)
  })

  it('parseKeys accepts a key without padding', () => {
    const bytes = randomBytes(32)
    const [{ key }] = parseKeys(`k:${bytes.toString('base64').slice(0, -1)}`)
    assert.ok(key.export().equals(bytes))
  })

  it('parseKeys reports all mistakes at once, without any key', () => {
    const good = randomBytes(32).toString('base64')
    const short = randomBytes(31).toString('base64')
    const text = `a:${good},${good},b c:${good},a:${good},d:${short},e:${good}x,:${good},${'f'.repeat(33)}:${good}`
    assert.throws(
      () => parseKeys(text),
      (error: Error) => {
        assert.match(error.message, /key 2 is not id:base64/)
        assert.match(error.message, /key 3 has an id/)
        assert.match(error.message, /key 4 repeats the id a/)
        assert.match(error.message, /key 5 \(d\) is not base64 of 32 bytes/)
        assert.match(error.message, /key 6 \(e\)/)
        assert.match(error.message, /key 7 has an id/)
        assert.match(error.message, /key 8 has an id/)
        assert.equal(error.message.includes(good), false)
        assert.equal(error.message.includes(short), false)
        return true
      },
    )
  })

  it('parseKeys rejects an empty ring, base64url, whitespace in a key, and non-zero trailing bits', () => {
    const zeros = Buffer.alloc(32).toString('base64')
    for (const text of [
      '',
      ' ',
      ',',
      `k:${zeros},`,
      `k:${'_'.repeat(43)}=`,
      `k:${zeros.slice(0, 20)} ${zeros.slice(20)}`,
      `k:${zeros.slice(0, 42)}B=`,
      `k:${zeros}=`,
    ]) {
      assert.throws(() => parseKeys(text), Error, text)
    }
    assert.equal(parseKeys(`k:${zeros}`).length, 1)
  })
})
