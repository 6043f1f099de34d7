/** In-memory token buckets by key. When there are more than `maxKeys`, the least recently used one is evicted. */
export interface TokenBuckets {
  /** Takes a token. @returns 0, or the milliseconds until one is available, without taking it */
  take(key: string): number
  /** Returns a token to its bucket. */
  putBack(key: string): void
  readonly size: number
}

/** The size of a bucket and how fast it fills. */
export interface BucketOptions {
  /** Tokens in a full bucket. */
  readonly capacity: number
  /** Time to refill one token. */
  readonly refillMs: number
  readonly maxKeys: number
}

/** Creates buckets that start full. `now` is in milliseconds. */
export function createTokenBuckets(options: BucketOptions, now: () => number): TokenBuckets {
  const { capacity, refillMs, maxKeys } = options
  /** The time at which each bucket will be full. */
  const fullAt = new Map<string, number>()
  const getMissingMs = (key: string) => Math.max(0, (fullAt.get(key) ?? 0) - now())
  const set = (key: string, ms: number) => {
    fullAt.delete(key)
    if (ms > 0) fullAt.set(key, now() + ms)
    const oldest = fullAt.keys().next()
    if (fullAt.size > maxKeys && !oldest.done) fullAt.delete(oldest.value)
  }
  return {
    take(key) {
      const missingAfter = getMissingMs(key) + refillMs
      const excess = missingAfter - capacity * refillMs
      if (excess > 0) return excess
      set(key, missingAfter)
      return 0
    },
    putBack: (key) => set(key, getMissingMs(key) - refillMs),
    get size() {
      return fullAt.size
    },
  }
}
