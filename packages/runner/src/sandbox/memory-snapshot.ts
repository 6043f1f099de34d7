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

const PAGE = 4096

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
    let end = start + PAGE
    while (end < length && isShared(memory, base, end, length) === shared) end += PAGE
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

function isShared(memory: Uint8Array, base: Uint8Array, start: number, length: number): boolean {
  const end = Math.min(start + PAGE, length)
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
