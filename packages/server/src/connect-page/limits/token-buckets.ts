/** Token buckets by key, in memory, at most `maxKeys` of them: the one that was used longest ago is forgotten first. */
export interface TokenBuckets {
  /** Takes a token. @returns 0, or the milliseconds until one is there; nothing is taken then */
  take(key: string): number
  /** Puts a token back. */
  putBack(key: string): void
  readonly size: number
}

export interface BucketOptions {
  /** Tokens of a full bucket. */
  readonly capacity: number
  /** Time in which one token is refilled. */
  readonly refillMs: number
  readonly maxKeys: number
}

/** Creates buckets, all of them full. `now` is in milliseconds. */
export function createTokenBuckets(options: BucketOptions, now: () => number): TokenBuckets {
  const { capacity, refillMs, maxKeys } = options
  /** When the bucket will be full. */
  const fullAt = new Map<string, number>()
  const missingMs = (key: string) => Math.max(0, (fullAt.get(key) ?? 0) - now())
  const set = (key: string, ms: number) => {
    fullAt.delete(key)
    if (ms > 0) fullAt.set(key, now() + ms)
    const oldest = fullAt.keys().next()
    if (fullAt.size > maxKeys && !oldest.done) fullAt.delete(oldest.value)
  }
  return {
    take(key) {
      const missingAfter = missingMs(key) + refillMs
      const excess = missingAfter - capacity * refillMs
      if (excess > 0) return excess
      set(key, missingAfter)
      return 0
    },
    putBack: (key) => set(key, missingMs(key) - refillMs),
    get size() {
      return fullAt.size
    },
  }
}
