import { PAGE_BYTES, type WrittenPages } from './written-pages.ts'

/** A snapshot of the memory of a VM, stored as the pages in which it differs from a base and from zero. */
export interface MemorySnapshot {
  /** Parts of the memory, in order. It is zero between them and after the last one. */
  readonly parts: readonly Part[]
  /** The memory is zero from this offset on. */
  readonly length: number
  /** Bytes that this image stores in addition to the base. */
  readonly ownBytes: number
}

/** Bytes of the memory from `start` on: stored in the image, or a range of the base. */
export interface Part {
  readonly start: number
  readonly bytes: Uint8Array
}

/** Copies a memory up to its last byte that is not zero. */
export function copyMemory(memory: Uint8Array): Uint8Array {
  return memory.slice(0, getUsedLength(memory))
}

/** Takes an image of a memory; equal pages are shared with the base. */
export function takeSnapshot(memory: Uint8Array, base: Uint8Array): MemorySnapshot {
  const length = getUsedLength(memory)
  const parts: Part[] = []
  let ownBytes = 0
  let start = 0
  while (start < length) {
    const kind = classifyPage(memory, base, start)
    let end = start + PAGE_BYTES
    while (end < length && classifyPage(memory, base, end) === kind) end += PAGE_BYTES
    end = Math.min(end, length)
    if (kind === 'shared') parts.push({ start, bytes: base.subarray(start, end) })
    if (kind === 'own') {
      ownBytes += end - start
      parts.push({ start, bytes: memory.slice(start, end) })
    }
    start = end
  }
  return { parts, length, ownBytes }
}

/** Writes an image into a memory that is at least as long, and clears the rest of it. */
export function restoreImage(memory: Uint8Array, { parts }: MemorySnapshot): void {
  let at = 0
  for (const { start, bytes } of parts) {
    clear(memory, at, start)
    memory.set(bytes, start)
    at = start + bytes.length
  }
  clear(memory, at, memory.length)
}

/** Restores a memory that equals an image except in the pages that were written. */
export function restoreWrittenPages(
  memory: Uint8Array,
  { parts }: MemorySnapshot,
  writtenPages: WrittenPages,
): void {
  let index = 0
  writtenPages.forEachRange((start, firstUnwritten) => {
    // The last write may reach into the next page.
    const end = firstUnwritten + MAX_WRITE_BYTES
    let at = start
    for (let part = parts[index]; part !== undefined && part.start < end; part = parts[++index]) {
      const partEnd = part.start + part.bytes.length
      const from = Math.max(at, part.start)
      const to = Math.min(end, partEnd)
      if (from < to) {
        memory.fill(0, at, from)
        memory.set(part.bytes.subarray(from - part.start, to - part.start), from)
        at = to
      }
      if (partEnd >= end) break
    }
    memory.fill(0, at, end)
  })
}

/** The longest write of one instruction. */
const MAX_WRITE_BYTES = 16

type PageKind = 'own' | 'shared' | 'zero'

function classifyPage(memory: Uint8Array, base: Uint8Array, start: number): PageKind {
  const page = memory.subarray(start, start + PAGE_BYTES)
  if (isZero(page)) return 'zero'
  return Buffer.compare(page, base.subarray(start, start + PAGE_BYTES)) === 0 ? 'shared' : 'own'
}

/** Most of these bytes are zero already. Pages that were never written use no memory, and this keeps them so. */
function clear(memory: Uint8Array, start: number, end: number): void {
  for (let at = start; at < end; at += ZEROS.length) {
    const block = memory.subarray(at, Math.min(at + ZEROS.length, end))
    if (!isZero(block)) block.fill(0)
  }
}

function isZero(bytes: Uint8Array): boolean {
  return Buffer.compare(bytes, ZEROS.subarray(0, bytes.length)) === 0
}

const ZEROS = new Uint8Array(65_536)

function getUsedLength(memory: Uint8Array): number {
  const words = new Float64Array(memory.buffer, memory.byteOffset, memory.length >> 3)
  const bits = new BigUint64Array(words.buffer, words.byteOffset, words.length)
  let last = bits.length
  while (last > 0 && bits[last - 1] === 0n) last--
  return last * 8
}
