import { PAGE_BYTES, type WrittenPages } from './written-pages.ts'

/** A snapshot of the memory of a VM, stored as the pages in which it differs from a base. */
export interface MemorySnapshot {
  readonly base: Uint8Array
  /** Parts of the memory, in order and without gaps from 0 to `length`. */
  readonly parts: readonly Part[]
  /** The memory is zero from this offset on. */
  readonly length: number
  /** Bytes that this image stores in addition to the base. */
  readonly ownBytes: number
}

/** Bytes of the memory from `start` on: stored in the image, or a range of the base. */
interface Part {
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
    const shared = isShared(memory, base, start, length)
    let end = start + PAGE_BYTES
    while (end < length && isShared(memory, base, end, length) === shared) end += PAGE_BYTES
    end = Math.min(end, length)
    const bytes = shared ? base.subarray(start, end) : memory.slice(start, end)
    if (!shared) ownBytes += bytes.length
    parts.push({ start, bytes })
    start = end
  }
  return { base, parts, length, ownBytes }
}

/** Writes an image into a memory that is at least as long, and clears the rest of it. */
export function restoreImage(memory: Uint8Array, image: MemorySnapshot): void {
  for (const { start, bytes } of image.parts) memory.set(bytes, start)
  memory.fill(0, image.length)
}

/** Restores a memory that equals an image except in the pages that were written. */
export function restoreWrittenPages(
  memory: Uint8Array,
  { parts, length }: MemorySnapshot,
  writtenPages: WrittenPages,
): void {
  let at = 0
  writtenPages.forEachRange((start, firstUnwritten) => {
    // The last write may reach into the next page.
    const end = firstUnwritten + MAX_WRITE_BYTES
    for (let part = parts[at]; part !== undefined && part.start < end; part = parts[++at]) {
      const partEnd = part.start + part.bytes.length
      const from = Math.max(start, part.start)
      const to = Math.min(end, partEnd)
      if (from < to) memory.set(part.bytes.subarray(from - part.start, to - part.start), from)
      if (partEnd >= end) break
    }
    if (end > length) memory.fill(0, Math.max(start, length), end)
  })
}

/** The longest write of one instruction. */
const MAX_WRITE_BYTES = 16

function isShared(memory: Uint8Array, base: Uint8Array, start: number, length: number): boolean {
  const end = Math.min(start + PAGE_BYTES, length)
  if (end > base.length) return false
  return Buffer.compare(memory.subarray(start, end), base.subarray(start, end)) === 0
}

function getUsedLength(memory: Uint8Array): number {
  const words = new Float64Array(memory.buffer, memory.byteOffset, memory.length >> 3)
  const bits = new BigUint64Array(words.buffer, words.byteOffset, words.length)
  let last = bits.length
  while (last > 0 && bits[last - 1] === 0n) last--
  return last * 8
}
