/** Returns a function that creates a value at its first call and returns that value from then on. */
export function once<T extends object>(create: () => T): () => T {
  let created: T | undefined
  return () => {
    created ??= create()
    return created
  }
}

export interface TimedCacheOptions {
  /** How old a value is at most, in milliseconds. One that took long is used for ten times as long as it took. */
  readonly maxAgeMs: number
  /** With more keys, all values are loaded again. */
  readonly maxEntries: number
  readonly now: () => number
}

/** Loads the value of a key once for all who ask within a time, and never twice at once. After a failure, the next one tries again. */
export function createTimedCache<T>({ maxAgeMs, maxEntries, now }: TimedCacheOptions) {
  const entries = new Map<string, { readonly until: number; readonly value: Promise<T> }>()
  return (key: string, load: () => Promise<T>): Promise<T> => {
    const at = now()
    const current = entries.get(key)
    if (current !== undefined && current.until > at) return current.value
    if (entries.size >= maxEntries) entries.clear()
    const entry = { until: Number.POSITIVE_INFINITY, value: load() }
    entries.set(key, entry)
    entry.value.then(
      () => {
        const end = now()
        entry.until = Math.max(at + maxAgeMs, end + LOAD_FACTOR * (end - at))
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key)
      },
    )
    return entry.value
  }
}

/** Loading takes a tenth of the time at most. */
const LOAD_FACTOR = 10
