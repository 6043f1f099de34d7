/** The shortest life that a token is handed out with, where its provider gives it more. */
export const MIN_TOKEN_TTL_MS = 60_000

/**
 * When to renew in the background: after 80 % of the life, give or take 10 %, so that tokens that were issued together
 * are not renewed together; and a minute before the end where the life allows. Of an unknown end, as if it were in an
 * hour: some providers never tell, and let tokens end all the same.
 */
export function getRefreshTime(
  now: number,
  expiresAt: number | null,
  random: () => number = Math.random,
): number {
  const effectiveExpiry = expiresAt ?? now + HOUR_MS
  const ttlMs = Math.max(0, effectiveExpiry - now)
  const jittered = now + ttlMs * 0.8 * (0.9 + 0.2 * random())
  const latest =
    ttlMs >= 2 * MIN_TOKEN_TTL_MS ? effectiveExpiry - MIN_TOKEN_TTL_MS : effectiveExpiry
  return Math.floor(Math.min(jittered, latest))
}

/** The wait after this many failures in a row: 30 s, doubled up to an hour, give or take a fifth; longer when asked. */
export function backOffMs(
  failures: number,
  retryAfterMs = 0,
  random: () => number = Math.random,
): number {
  const wait = Math.min(30_000 * 2 ** Math.min(failures - 1, 10), HOUR_MS)
  return Math.max(Math.floor(wait * (0.8 + 0.4 * random())), Math.min(retryAfterMs, DAY_MS))
}

/** The wait where only the operator can help. */
export function clientErrorBackoff(random: () => number = Math.random): number {
  return Math.floor(HOUR_MS / 4 + (HOUR_MS / 4) * random())
}

/** Between two rounds in the background, give or take a quarter: nodes that started together do not stay in step. */
export function jitteredInterval(intervalMs: number, random: () => number = Math.random): number {
  return intervalMs * (0.75 + 0.5 * random())
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The longest wait that is ever written. */
export const MAX_BACKOFF_MS = DAY_MS
