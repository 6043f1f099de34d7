import type { Spec } from '@linchpin/runner'

/** How long a check may be from the last evidence, in seconds; default of LINCHPIN_CHECK_INTERVAL. */
export const DEFAULT_CHECK_INTERVAL = 86_400

/**
 * Milliseconds between the last evidence that credentials work and their check: what the spec says, otherwise the setting, in
 * seconds. 0: they are never checked. The setting 0 stands for all integrations.
 */
export function getCheckIntervalMs(spec: Spec, setting = DEFAULT_CHECK_INTERVAL): number {
  if (setting === 0) return 0
  // Older stored specs were not validated.
  const own: unknown = spec['x-check-interval']
  const isValid = own === 0 || (typeof own === 'number' && own >= 900 && own <= 604_800)
  return 1_000 * (isValid ? own : setting)
}

/** When to check what the provider accepted at a time: after the interval, ±25 %, so that accounts connected together drift apart. */
export function getNextCheckTime(
  okAt: number,
  intervalMs: number,
  random: () => number = Math.random,
): number {
  // An account that is never checked is looked at all the same: its integration may change.
  return Math.floor(okAt + (intervalMs || DAY_MS) * (0.75 + 0.5 * random()))
}

/** When to check again what a provider rejected once: after 10 minutes, ±50 %. */
export function getRepeatTime(now: number, random: () => number = Math.random): number {
  return Math.floor(now + REPEAT_MS * (0.5 + random()))
}

/** When to check again after this many checks in a row that got no answer: 5 minutes, doubled up to 6 hours, ±20 %. */
export function getRetryTime(
  now: number,
  failures: number,
  random: () => number = Math.random,
): number {
  const waitMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10), MAX_RETRY_MS)
  return Math.floor(now + waitMs * (0.8 + 0.4 * random()))
}

/** The rejection of a check that counts: the first one may be a slip of the provider. */
export const REJECTIONS_THAT_COUNT = 2

const REPEAT_MS = 10 * 60_000
const FIRST_RETRY_MS = 5 * 60_000
const MAX_RETRY_MS = 6 * 3_600_000
const DAY_MS = 24 * 3_600_000
