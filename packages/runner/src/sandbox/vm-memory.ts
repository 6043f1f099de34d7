/** The limited linear memory of one QuickJS instance. It can be restored to an image. */
export class VmMemory {
  readonly linear: WebAssembly.Memory
  readonly writtenPages: WrittenPages
  readonly #maximumBytes: number
  /** What the memory contains, except in the written pages. */
  #image: MemorySnapshot | undefined

  /** Both count pages of 64 KiB. */
  constructor(initialPages: number, maximumPages: number) {
    this.linear = new WebAssembly.Memory({ initial: initialPages, maximum: maximumPages })
    this.#maximumBytes = maximumPages * 65_536
    this.writtenPages = new WrittenPages(this.#maximumBytes)
  }

  get byteLength(): number {
    return this.linear.buffer.byteLength
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.linear.buffer)
  }

  /** True if little is left: QuickJS may then fail to report that it ran out. */
  get isCrowded(): boolean {
    return this.byteLength > 0.75 * this.#maximumBytes
  }

  /** Whether `restore` of this image has to write only what was written since the last one. */
  isBasedOn(image: MemorySnapshot): boolean {
    return this.#image === image
  }

  restore(image: MemorySnapshot): void {
    if (this.#image === image) restoreWrittenPages(this.bytes, image, this.writtenPages)
    else restoreImage(this.bytes, image)
    this.#image = image
    this.writtenPages.clear()
  }

  /** Removes what was written since the last `restore`. */
  rewind(): void {
    if (this.#image !== undefined) this.restore(this.#image)
  }

  /** Before writes that nothing marks: the next `restore` writes the whole image. */
  forgetImage(): void {
    this.#image = undefined
  }

  copy(): Uint8Array {
    return copyMemory(this.bytes)
  }

  takeImage(base: Uint8Array): MemorySnapshot {
    return takeSnapshot(this.bytes, base)
  }
}

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

/** Size of a page, in bytes: a power of two. */
const PAGE_BYTES = 4096

/**
 * The pages of a VM's memory that were written since the last `clear`.
 *
 * The instrumented engine (`../../instrument`) marks the page of the first byte of each write; a write of a few bytes
 * may reach into the next page.
 */
export class WrittenPages {
  readonly memory: WebAssembly.Memory
  readonly #pages: Uint8Array
  readonly #words: Float64Array

  /** `maximumBytes`: the maximum size of the memory. */
  constructor(maximumBytes: number) {
    const size = Math.ceil(maximumBytes / PAGE_BYTES / 65_536)
    this.memory = new WebAssembly.Memory({ initial: size, maximum: size })
    const used = Math.ceil(maximumBytes / PAGE_BYTES)
    this.#pages = new Uint8Array(this.memory.buffer, 0, used)
    this.#words = new Float64Array(this.memory.buffer, 0, Math.ceil(used / 8))
  }

  /** Marks a range that JavaScript is about to write. Addresses outside of the memory are ignored. */
  mark(address: number, length: number): void {
    this.#pages.fill(1, address >>> PAGE_SHIFT, ((address + length - 1) >>> PAGE_SHIFT) + 1)
  }

  clear(): void {
    this.#pages.fill(0)
  }

  /** Calls back for each range of pages that were written, in ascending order. `end` is exclusive. */
  forEachRange(callback: (start: number, end: number) => void): void {
    const pages = this.#pages
    const words = this.#words
    for (let page = 0; page < pages.length; ) {
      if (pages[page] === 0) {
        // Eight pages at a time where nothing was written.
        page += page % 8 === 0 && words[page / 8] === 0 ? 8 : 1
        continue
      }
      const first = page
      while (page < pages.length && pages[page] !== 0) page++
      callback(first * PAGE_BYTES, page * PAGE_BYTES)
    }
  }
}

const PAGE_SHIFT = 12
