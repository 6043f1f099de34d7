import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keyIdOf, openBox, sealBox } from './sealed-box.ts'
import { configPlace, randomKey } from './test-keys.ts'

describe('a sealed box', () => {
  const { key } = randomKey('a')
  const place = configPlace('wsp_1')

  it('has the form version, key id, nonce, tag, ciphertext', () => {
    const box = sealBox(key, 'key-7', place, Buffer.from('secret'))
    assert.equal(box[0], 1)
    assert.equal(keyIdOf(box), 'key-7')
    assert.equal(box.length, 2 + 'key-7'.length + 12 + 16 + 'secret'.length)
    assert.equal(Buffer.from(openBox(key, place, box)).toString(), 'secret')
  })

  it('does not open under another key id, even with the same key', () => {
    const box = sealBox(key, 'a', place, Buffer.from('secret'))
    const relabelled = Uint8Array.from(box)
    relabelled[2] = 'b'.charCodeAt(0)
    assert.equal(keyIdOf(relabelled), 'b')
    assert.throws(() => openBox(key, place, relabelled), { kind: 'tampered' })
  })

  it('does not open under another key', () => {
    const box = sealBox(key, 'a', place, Buffer.from('secret'))
    assert.throws(() => openBox(randomKey('a').key, place, box), { kind: 'tampered' })
  })
})
