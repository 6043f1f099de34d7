import { setBounded } from './set-bounded.ts'

/** Limits what a key may do in an hour. */
export interface HourlyLimiter<Key extends string> {
  /** Takes one from the budget of a key. @returns the seconds to wait if it is used up; 0 otherwise */
  take(key: Key): number
}

const HOUR_MS = 60 * 60_000

/** Counts in the memory of this node. @param now epoch milliseconds */
export function createHourlyLimiter<Key extends string>({
  limit,
  now,
}: {
  readonly limit: number
  readonly now: () => number
}): HourlyLimiter<Key> {
  const taken = new Map<string, readonly number[]>()
  return {
    take(key) {
      const time = now()
      const recent = (taken.get(key) ?? []).filter((at) => at > time - HOUR_MS)
      const [first] = recent
      if (first !== undefined && recent.length >= limit)
        return Math.ceil((first + HOUR_MS - time) / 1_000)
      setBounded(taken, key, [...recent, time])
      return 0
    },
  }
}
