/** A least-recently-used cache, limited by the number and the total size of its values. */
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

  /** Stores a value and evicts the least recently used ones. A value larger than the limit is not stored. */
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

/** Makes an entry the newest of a map, and drops the oldest beyond `max`. */
export function putLast<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > max && oldest !== undefined) map.delete(oldest)
}
