/** Sets an entry of a cache with at most so many, of which the one that was set first goes first. */
export function setBounded<T>(
  cache: Map<string, T>,
  key: string,
  value: T,
  maxEntries = MAX_ENTRIES,
): void {
  cache.delete(key)
  cache.set(key, value)
  const oldest = cache.size > maxEntries ? cache.keys().next().value : undefined
  if (oldest !== undefined) cache.delete(oldest)
}

const MAX_ENTRIES = 10_000
