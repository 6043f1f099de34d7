import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { decodeBundleImage, encodeBundleImage } from './stored-images.ts'
import { restoreImage, takeSnapshot } from './vm-memory.ts'

const base = { id: 'one', bytes: new Uint8Array(100_000).fill(1, 0, 40_000) }
const memory = new Uint8Array(131_072)
memory.set(base.bytes)
memory.fill(2, 20_000, 20_010)
memory.fill(3, 120_000, 120_100)
const encoded = encodeBundleImage({ image: takeSnapshot(memory, base.bytes), bundle: 4_096 }, base)

describe('an image of a bundle for other processes', () => {
  it('restores the same memory there', () => {
    const decoded = decodeBundleImage(encoded, { ...base, bytes: base.bytes.slice() })
    assert.ok(decoded)
    const restored = new Uint8Array(131_072).fill(9)
    restoreImage(restored, decoded.image)
    assert.equal(Buffer.compare(restored, memory), 0)
    assert.equal(decoded.bundle, 4_096)
  })

  it('is not used with another base, or when it is damaged', () => {
    assert.equal(decodeBundleImage(encoded, { ...base, id: 'two' }), undefined)
    assert.equal(decodeBundleImage(encoded.subarray(0, -1), base), undefined)
    assert.equal(decodeBundleImage(new Uint8Array(), base), undefined)
    for (const [from, to] of [
      ['"length":', '"length":-'],
      ['[0,', '[4096,'],
      [',1]', ',0]'],
      ['"bundle":', '"bundle":9e'],
    ] as const) {
      const text = zstdDecompressSync(encoded).toString('latin1')
      assert.ok(text.includes(from))
      const changed = zstdCompressSync(Buffer.from(text.replace(from, to), 'latin1'))
      assert.equal(decodeBundleImage(changed, base), undefined, to)
    }
  })
})
