import {
  copyMemory,
  type MemorySnapshot,
  restoreImage,
  restoreWrittenPages,
  takeSnapshot,
} from './memory-snapshot.ts'
import { WrittenPages } from './written-pages.ts'

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
