/** Failed attempts after which a delivery lets later ones of its subject pass, about 36 minutes after the first. */
export const BLOCKING_ATTEMPTS = 5

/** A delivery is given up after this many attempts, about 75 hours after the first, or after five days. */
export const MAX_ATTEMPTS = 11
export const MAX_DELIVERY_MS = 5 * 24 * 60 * 60_000

/**
 * Milliseconds until the next attempt, after this many failed ones: 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h
 * and 24 h, each ± 20 %. `Retry-After` of the receiver counts if it is longer.
 */
export function getRetryDelay(
  attempts: number,
  retryAfterMs: number | null,
  random: () => number,
): number {
  const delayMs = RETRY_DELAYS_MS[attempts - 1] ?? LAST_DELAY_MS
  return Math.max(Math.round(delayMs * (0.8 + 0.4 * random())), retryAfterMs ?? 0)
}

/** Milliseconds until the next probe of an endpoint, after this many failed ones: 30 s, doubled up to an hour. */
export function getProbeDelay(probes: number): number {
  return Math.min(FIRST_PROBE_MS * 2 ** Math.min(probes, 10), MAX_PROBE_MS)
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const LAST_DELAY_MS = 24 * HOUR_MS
const RETRY_DELAYS_MS: readonly number[] = [
  ...[5_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS],
  ...[5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, LAST_DELAY_MS],
]
const FIRST_PROBE_MS = 30_000
const MAX_PROBE_MS = HOUR_MS
