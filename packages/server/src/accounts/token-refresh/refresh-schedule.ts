import type { AccountRow } from '../../storage/tables.ts'

/**
 * Why a renewal is wished for. `use`: the token is about to be used. `early`: its time has come, in the background.
 * `refused`: the provider's API did not accept the token of this version. `repaired`: the OAuth app was changed since
 * the failure at this time.
 */
export type RefreshReason =
  | { readonly kind: 'use' | 'early' }
  | { readonly kind: 'refused'; readonly version: number }
  | { readonly kind: 'repaired'; readonly failedAt: number }

/** Whether to ask the provider now. While backing off nobody asks, whatever the wish. */
export function needsRefresh(row: AccountRow, now: number, reason: RefreshReason): boolean {
  if (row.oauth_app_id === null || row.sealed_config === null || row.status === 'needs_reauth')
    return false
  if (reason.kind === 'repaired')
    return row.status === 'error' && row.updated_at === reason.failedAt
  if (row.renew_failures > 0 && isBackingOff(row.renew_at ?? 0, now)) return false
  if (reason.kind === 'refused') return row.credential_version === reason.version
  if (isIssuedInFuture(row, now)) return true
  if (reason.kind === 'early') return row.renew_at !== null && row.renew_at <= now
  if (row.token_expires_at === null) return false
  // Without a time to renew at there is no refresh token: then it only is to be said that the token has ended.
  if (row.renew_at === null) return row.token_expires_at <= now
  // Lives shorter than the margin have a time of their own, or each use would renew.
  return row.token_expires_at - now < MIN_TOKEN_TTL_MS && row.renew_at <= now
}

/** A wait that is longer than any was written before the clock was set back. */
function isBackingOff(until: number, now: number): boolean {
  return until > now && until - now <= MAX_BACKOFF_MS
}

/** Issued after now: the clock was set back since, and when the token ends is anybody's guess. */
function isIssuedInFuture(
  { token_expires_at: expiresAt, token_life_ms: ttlMs, renew_at }: AccountRow,
  now: number,
) {
  if (expiresAt === null || ttlMs === null || renew_at === null || renew_at === expiresAt)
    return false
  return expiresAt - ttlMs > now + CLOCK_SKEW_MS
}

/** Whether the access token can still be used. */
export function isTokenValid(row: AccountRow, now: number): boolean {
  return row.token_expires_at === null || row.token_expires_at > now
}

/** Of clocks that are set right all the time. */
const CLOCK_SKEW_MS = 60_000

/** What is known of the life of an access token. */
export type TokenTiming = Pick<AccountRow, 'token_expires_at' | 'token_life_ms' | 'renew_at'>

/**
 * The times of an access token that was just issued. Some providers tell its end with the first token only, so the life
 * that they told before holds on (`lifeMs`). Without a refresh token the time to renew is the end: then it is to be said.
 *
 * @param reportedExpiry as the provider told; undefined when it did not, null when it is another's token, whose end nobody knows
 */
export function getTokenTiming(
  now: number,
  reportedExpiry: number | null | undefined,
  previousTtlMs: number | null,
  hasRefreshToken: boolean,
): TokenTiming {
  const reportedTtlMs =
    reportedExpiry === undefined || reportedExpiry === null || reportedExpiry <= now
      ? null
      : reportedExpiry - now
  const estimatedExpiry =
    reportedExpiry === undefined && previousTtlMs !== null ? now + previousTtlMs : null
  const expiresAt = reportedExpiry ?? estimatedExpiry
  return {
    token_expires_at: expiresAt,
    token_life_ms: reportedTtlMs ?? previousTtlMs,
    renew_at: hasRefreshToken ? getRefreshTime(now, expiresAt) : expiresAt,
  }
}

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
