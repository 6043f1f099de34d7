import { ApiError } from '../../platform/errors.ts'

/** The requests of a key in the current minute and the one before. */
export interface RateWindow {
  /** Minutes since 1970. */
  minute: number
  limit: number
  /** Requests that this process accepted. */
  count: number
  previousCount: number
  /** What others had accepted when they last reported, and how many per millisecond they accept. */
  others: number
  othersPrevious: number
  othersRate: number
  /** When others last reported, in epoch milliseconds. */
  reportedAt: number
}

/** What a node has accepted of a key in a minute. */
export interface RateUsage {
  readonly key: string
  readonly minute: number
  readonly count: number
}

/** Counts requests by key in a sliding minute, without I/O. */
export interface RateLimiter {
  /**
   * Counts a request, unless the key has reached its limit.
   *
   * @throws ApiError `rate_limited`
   */
  take(key: string, limit: number): RateWindow
  /** Uncounts a request that turned out to be counted elsewhere. */
  giveBack(window: RateWindow): void
  /** How many requests remain, and in how many seconds the minute ends. */
  describe(window: RateWindow): { readonly remaining: number; readonly seconds: number }
  /** What this node has counted of the keys that all together use above a fifth of their limit, most first. */
  listUsage(): RateUsage[]
  /** Adds what all other nodes have counted of these keys. */
  reportOthers(usages: readonly RateUsage[]): void
}

/**
 * A sliding window of two buckets: the requests of this minute, and of the previous one as far as it lies within the
 * last 60 seconds. Between two reports, others are assumed to continue as before.
 */
export function createRateLimiter(now: () => number): RateLimiter {
  const windows = new Map<string, RateWindow>()
  /** Keys that may be in much use. */
  const shared = new Set<string>()

  function find(key: string, limit: number, time: number): RateWindow {
    const minute = Math.floor(time / MINUTE_MS)
    const window = windows.get(key) ?? add(key, minute)
    if (window.minute !== minute) advance(window, minute)
    window.limit = limit
    return window
  }

  function add(key: string, minute: number): RateWindow {
    if (windows.size >= MAX_KEYS) {
      evict(windows, minute)
      for (const each of shared) if (!windows.has(each)) shared.delete(each)
    }
    const counts = { count: 0, previousCount: 0, others: 0, othersPrevious: 0 }
    const window = { minute, limit: 0, ...counts, othersRate: 0, reportedAt: 0 }
    windows.set(key, window)
    return window
  }

  return {
    take(key, limit) {
      const time = now()
      const window = find(key, limit, time)
      const estimated = estimate(window, time)
      if (estimated > limit * SHARED_FROM) shared.add(key)
      if (estimated + 1 > limit) throw createRateLimitedError(window, time)
      window.count += 1
      return window
    },
    giveBack(window) {
      if (window.count > 0) window.count -= 1
    },
    describe(window) {
      const time = now()
      const remaining = Math.max(0, Math.floor(window.limit - estimate(window, time)))
      return { remaining, seconds: Math.ceil((MINUTE_MS - (time % MINUTE_MS)) / 1_000) }
    },
    listUsage() {
      const time = now()
      const minute = Math.floor(time / MINUTE_MS)
      const usages: RateUsage[] = []
      for (const key of shared) {
        const window = windows.get(key)
        const isInUse = window?.minute === minute && isShared(window, time)
        if (!isInUse) shared.delete(key)
        else if (window.count > 0) usages.push({ key, minute, count: window.count })
      }
      return usages.sort((one, other) => other.count - one.count).slice(0, MAX_SHARED)
    },
    reportOthers(usages) {
      const time = now()
      const minute = Math.floor(time / MINUTE_MS)
      for (const usage of usages) {
        if (usage.minute < minute - 1) continue
        // Known before the first request of the key.
        const window = windows.get(usage.key) ?? add(usage.key, minute)
        if (window.minute !== minute) advance(window, minute)
        shared.add(usage.key)
        if (usage.minute === minute - 1) window.othersPrevious = usage.count
        if (usage.minute === minute) updateOthers(window, usage.count, time)
      }
    },
  }
}

function isShared(window: RateWindow, time: number): boolean {
  return Number.isFinite(window.limit) && estimate(window, time) > window.limit * SHARED_FROM
}

function updateOthers(window: RateWindow, count: number, time: number): void {
  // On average over the minute: a node that reports for the first time is no burst.
  window.othersRate = count / Math.max(MIN_AVERAGE_MS, time % MINUTE_MS)
  window.others = count
  window.reportedAt = time
}

function advance(window: RateWindow, minute: number): void {
  const isNext = minute === window.minute + 1
  window.previousCount = isNext ? window.count : 0
  window.othersPrevious = isNext ? window.others : 0
  window.minute = minute
  window.count = 0
  window.others = 0
  window.othersRate = 0
}

function estimate(window: RateWindow, time: number): number {
  const rest = 1 - (time % MINUTE_MS) / MINUTE_MS
  const unreportedMs = Math.min(time - window.reportedAt, MAX_REPORT_MS)
  return (
    window.count +
    window.others +
    (window.previousCount + window.othersPrevious) * rest +
    (window.othersRate === 0 ? 0 : window.othersRate * unreportedMs)
  )
}

/** Forgets the keys of earlier minutes, or the oldest if there are none. */
function evict(windows: Map<string, RateWindow>, minute: number): void {
  for (const [key, window] of windows) if (window.minute < minute - 1) windows.delete(key)
  for (const key of windows.keys()) {
    if (windows.size < MAX_KEYS - EVICTED_KEYS) return
    windows.delete(key)
  }
}

function createRateLimitedError(window: RateWindow, time: number): ApiError {
  const elapsedMs = time % MINUTE_MS
  const restMs = MINUTE_MS - elapsedMs
  const { limit } = window
  const current = window.count + window.others
  const previous = window.previousCount + window.othersPrevious
  // When enough of the previous minute has left the window; otherwise some time in the next minute.
  const waitMs =
    current + 1 <= limit
      ? restMs - ((limit - current - 1) / Math.max(previous, 1)) * MINUTE_MS
      : restMs + (1 - (limit - 1) / Math.max(current, 1)) * MINUTE_MS
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return new ApiError('rate_limited', 'Too many requests. Send fewer per minute.', {
    headers: { 'retry-after': String(seconds) },
  })
}

const MINUTE_MS = 60_000
/** The first requests of a minute are no rate yet. */
const MIN_AVERAGE_MS = 1_000
const MAX_KEYS = 50_000
const EVICTED_KEYS = 5_000
/** The part of its limit from which the use of a key is shared. */
const SHARED_FROM = 0.2
const MAX_SHARED = 500
/** Others that have not reported for so long are assumed to have stopped. */
const MAX_REPORT_MS = 2_500
