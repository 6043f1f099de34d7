/** Keeps the values used last, bounded by their number and by their weight in bytes. */
export class Lru<V> {
  readonly #entries = new Map<string, { value: V; bytes: number }>()
  readonly #maxCount: number
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxCount: number, maxBytes: number) {
    this.#maxCount = maxCount
    this.#maxBytes = maxBytes
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Keeps a value and drops the ones unused longest. A value heavier than the whole bound is not kept. */
  set(key: string, value: V, bytes: number): void {
    this.#drop(key)
    if (bytes > this.#maxBytes) return
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxCount && this.#bytes <= this.#maxBytes) break
      this.#drop(oldest)
    }
  }

  get size(): number {
    return this.#entries.size
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
  }
}
