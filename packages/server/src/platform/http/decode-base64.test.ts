import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { decodeBase64 } from './json-body.ts'

describe('Base64 in a request', () => {
  it('is decoded at any length', async () => {
    const pieces = [0, 1, 2].map((more) => 2 * 768 * 1024 + more)
    for (const length of [0, 1, 2, 3, 4, 5, 1_000, 768 * 1024, ...pieces]) {
      const bytes = randomBytes(length)
      assert.deepEqual(await decodeBase64(bytes.toString('base64')), bytes, String(length))
    }
  })

  it('has padding, no other characters, and no unused bits', async () => {
    const long = 'QUFB'.repeat(300_000)
    for (const text of [
      ...[
        'A',
        'AA',
        'AAA',
        'YQ',
        'YQ=',
        'YR==',
        'YQ==YQ==',
        'Y Q=',
        'a b=',
        '====',
        '=',
        '-_-_',
        'YWJ=',
      ],
      ...['YWI=\n', `${long}-AAA`, `Y===`, `${long}\nAAA`, `YQ==${long}`, `${long}é`],
    ])
      assert.equal(await decodeBase64(text), undefined, text.slice(-10))
  })
})
