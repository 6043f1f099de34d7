import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openBox, readKeyId, sealBox } from './sealed-box.ts'
import { createSealContext, generateKey } from './test/test-keys.ts'

describe('sealBox', () => {
  const { key } = generateKey('a')
  const context = createSealContext('wsp_1')

  it('sealBox writes version, key id, nonce, tag and ciphertext', () => {
    const box = sealBox(key, 'key-7', context, Buffer.from('secret'))
    assert.equal(box[0], 1)
    assert.equal(readKeyId(box), 'key-7')
    assert.equal(box.length, 2 + 'key-7'.length + 12 + 16 + 'secret'.length)
    assert.equal(Buffer.from(openBox(key, context, box)).toString(), 'secret')
  })

  it('openBox rejects another key id, even with the same key', () => {
    const box = sealBox(key, 'a', context, Buffer.from('secret'))
    const relabelled = Uint8Array.from(box)
    relabelled[2] = 'b'.charCodeAt(0)
    assert.equal(readKeyId(relabelled), 'b')
    assert.throws(() => openBox(key, context, relabelled), { kind: 'tampered' })
  })

  it('openBox rejects another key', () => {
    const box = sealBox(key, 'a', context, Buffer.from('secret'))
    assert.throws(() => openBox(generateKey('a').key, context, box), { kind: 'tampered' })
  })
})
