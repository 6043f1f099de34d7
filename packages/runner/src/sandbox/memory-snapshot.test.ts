import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  copyMemory,
  restoreImage,
  restoreWrittenPages,
  takeSnapshot,
  WrittenPages,
} from './vm-memory.ts'

describe('an image of a memory', () => {
  it('restores every byte, into a memory with any content that is long enough', () => {
    const writes = fc.array(fc.tuple(fc.nat(65_535), fc.integer({ min: 1, max: 255 })))
    fc.assert(
      fc.property(
        writes,
        writes,
        writes,
        fc.nat(3),
        (baseWrites, laterWrites, previousWrites, extraPages) => {
          const memory = new Uint8Array(65_536)
          write(memory, baseWrites)
          const base = copyMemory(memory)
          write(memory, laterWrites)
          const image = takeSnapshot(memory, base)
          const other = new Uint8Array(65_536 * (1 + extraPages))
          write(other, previousWrites)
          other[other.length - 1] = 7
          restoreImage(other, image)
          assert.equal(Buffer.compare(other.subarray(0, 65_536), memory), 0)
          assert.ok(other.subarray(65_536).every((byte) => byte === 0))
        },
      ),
      { numRuns: 200, verbose: true },
    )
  })

  it('restores what was written, if the first page of each write is marked', () => {
    const writes = fc.array(fc.tuple(fc.nat(65_535), fc.integer({ min: 1, max: 255 })))
    const later = fc.array(fc.tuple(fc.nat(131_060), fc.integer({ min: 1, max: 16 })))
    fc.assert(
      fc.property(writes, writes, later, (first, then, last) => {
        const memory = new Uint8Array(131_072)
        write(memory, first)
        const base = copyMemory(memory)
        write(memory, then)
        const image = takeSnapshot(memory, base)
        const expected = memory.slice()
        const writtenPages = new WrittenPages(memory.length)
        for (const [at, length] of last) {
          writtenPages.mark(at, 1)
          memory.fill(9, at, Math.min(at + length, memory.length))
        }
        restoreWrittenPages(memory, image, writtenPages)
        assert.equal(Buffer.compare(memory, expected), 0)
      }),
      { numRuns: 300, verbose: true },
    )
  })

  it('stores only the pages that differ', () => {
    const memory = new Uint8Array(1 << 20).fill(1)
    const base = copyMemory(memory)
    memory[5_000] = 2
    memory[600_000] = 2
    assert.equal(takeSnapshot(memory, base).ownBytes, 2 * 4096)
    assert.equal(takeSnapshot(base, base).ownBytes, 0)
  })

  it('does not change when the memory does', () => {
    const memory = new Uint8Array(8192).fill(1)
    const image = takeSnapshot(memory, copyMemory(new Uint8Array(8192)))
    memory.fill(9)
    restoreImage(memory, image)
    assert.ok(memory.every((byte) => byte === 1))
  })
})

function write(memory: Uint8Array, writes: readonly (readonly [number, number])[]): void {
  for (const [at, value] of writes) memory[at] = value
}
