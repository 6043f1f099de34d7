/** Size of a page, in bytes: a power of two. */
export const PAGE_BYTES = 4096

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
