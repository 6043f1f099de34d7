import type { Account } from '../account.ts'

/**
 * Why a refresh is requested. `use`: the token is about to be used. `scheduled`: the background loop found it due. `held`: the
 * provider rejected the grant while it rejected many, and may accept it again.
 * `rejected`: the provider's API rejected the token of this version. `client_changed`: the OAuth app was changed after
 * the refresh that failed at `failedAt`.
 */
export type RefreshReason =
  | { readonly kind: 'use' | 'scheduled' | 'held' }
  | { readonly kind: 'rejected'; readonly version: number }
  | { readonly kind: 'client_changed'; readonly failedAt: number }

/**
 * Whether to request new tokens now. Always false while the account backs off, unless its OAuth app has changed, or it is in
 * `error` and its access token has expired since: the operator may have fixed the app at the provider, so the first use tries.
 */
export function needsRefresh(row: Account, now: number, reason: RefreshReason): boolean {
  if (row.oauthAppId === null || row.sealedConfig === null) return false
  if (reason.kind === 'held') return true
  if (row.status === 'needs_reauth') return false
  if (reason.kind === 'client_changed')
    return row.status === 'error' && row.updatedAt === reason.failedAt
  const isWaiting = row.refreshFailures > 0 && isBackingOff(row.refreshAt ?? 0, now)
  if (isWaiting && !(reason.kind === 'use' && hasExpiredSinceError(row, now))) return false
  if (reason.kind === 'rejected') return row.credentialVersion === reason.version
  if (isIssuedInFuture(row, now)) return true
  if (reason.kind === 'scheduled') return row.refreshAt !== null && row.refreshAt <= now
  if (row.tokenExpiresAt === null) return false
  // No refresh time means no refresh token: the "refresh" only records that the access token has expired.
  if (row.refreshAt === null) return row.tokenExpiresAt <= now
  const remainingMs = row.tokenExpiresAt - now
  if (remainingMs <= 0) return true
  // A TTL shorter than the margin has its own refresh time, or every use would refresh the token.
  return remainingMs < MIN_TOKEN_TTL_MS && (!isShortLived(row) || row.refreshAt <= now)
}

/** Whether the refresh time may be within the margin. The loop may have deferred it: that does not bind a use. */
function isShortLived({ tokenTtlMs }: Account): boolean {
  return tokenTtlMs === null || tokenTtlMs < 2 * MIN_TOKEN_TTL_MS
}

/** A wait longer than the maximum was stored before the clock was set back, so it does not count. */
function isBackingOff(until: number, now: number): boolean {
  return until > now && until - now <= MAX_BACKOFF_MS
}

/** Whether the access token of an account in `error` has expired since the last attempt, which updated the account. */
function hasExpiredSinceError(
  { status, updatedAt, tokenExpiresAt }: Account,
  now: number,
): boolean {
  if (status !== 'error' || tokenExpiresAt === null) return false
  return updatedAt < tokenExpiresAt && tokenExpiresAt <= now
}

/** Whether the token was issued after `now`: the clock was set back since, so its stored expiry is unreliable. */
function isIssuedInFuture(
  { tokenExpiresAt: expiresAt, tokenTtlMs: ttlMs, refreshAt }: Account,
  now: number,
) {
  if (expiresAt === null || ttlMs === null || refreshAt === null || refreshAt === expiresAt)
    return false
  return expiresAt - ttlMs > now + CLOCK_SKEW_MS
}

/** Whether the access token has not expired. An unknown expiry counts as valid. */
export function isTokenValid(row: Account, now: number): boolean {
  return row.tokenExpiresAt === null || row.tokenExpiresAt > now
}

/** The difference to expect between synchronized clocks. */
const CLOCK_SKEW_MS = 60_000

/** The columns with the expiry, TTL and refresh time of an access token. */
export type TokenTiming = Pick<Account, 'tokenExpiresAt' | 'tokenTtlMs' | 'refreshAt'>

/**
 * Computes the timing of an access token that was just issued. Some providers report `expires_in` only with the first
 * token, so its TTL is reused for later ones. If nothing refreshes it, the refresh time is the expiry: the background
 * loop then records that the token has expired.
 *
 * @param reportedExpiry epoch milliseconds; undefined when the provider did not report an expiry, null when the expiry
 * is unknown and the previous TTL does not apply either, as for a token of another kind
 * @param previousTtlMs TTL of the previous token in milliseconds; null when unknown
 */
export function getTokenTiming(
  now: number,
  reportedExpiry: number | null | undefined,
  previousTtlMs: number | null,
  refreshedWith: RefreshedWith | undefined,
): TokenTiming {
  const reportedTtlMs =
    reportedExpiry === undefined || reportedExpiry === null || reportedExpiry <= now
      ? null
      : reportedExpiry - now
  const estimatedExpiry =
    reportedExpiry === undefined && previousTtlMs !== null ? now + previousTtlMs : null
  const expiresAt = reportedExpiry ?? estimatedExpiry
  return {
    tokenExpiresAt: expiresAt,
    tokenTtlMs: reportedTtlMs ?? previousTtlMs,
    refreshAt:
      refreshedWith === undefined
        ? expiresAt
        : getRefreshTime(now, expiresAt ?? now + ASSUMED_TTL_MS[refreshedWith]),
  }
}

/** What a newer access token is requested with: a refresh token, or the access token itself. */
export type RefreshedWith = 'refresh_token' | 'access_token'

/** The shortest remaining lifetime with which a token is returned, if the provider issues tokens that live longer. */
export const MIN_TOKEN_TTL_MS = 60_000

/**
 * When to refresh in the background, in epoch milliseconds: after 65 to 90 % of the TTL, so that tokens issued together are
 * not refreshed together, and at least a minute before the expiry if the TTL allows it.
 */
export function getRefreshTime(
  now: number,
  expiresAt: number,
  random: () => number = Math.random,
): number {
  const ttlMs = Math.max(0, expiresAt - now)
  const jittered = now + ttlMs * (0.65 + 0.25 * random())
  const latest = ttlMs >= 2 * MIN_TOKEN_TTL_MS ? expiresAt - MIN_TOKEN_TTL_MS : expiresAt
  return Math.floor(Math.min(jittered, latest))
}

/**
 * Milliseconds to wait after this many consecutive failures: 30 s, doubled up to one hour, ±20 %. A longer
 * `Retry-After` takes precedence, up to one day: it is extended by up to a quarter, since a provider sends the same to many.
 */
export function getBackOffMs(
  failures: number,
  retryAfterMs = 0,
  random: () => number = Math.random,
): number {
  const wait = Math.min(30_000 * 2 ** Math.min(failures - 1, 10), HOUR_MS)
  const requested = Math.min(retryAfterMs * (1 + random() / 4), DAY_MS)
  return Math.floor(Math.max(wait * (0.8 + 0.4 * random()), requested))
}

/**
 * Milliseconds to wait, 15 to 30 minutes, after an error that only the operator can fix, such as a wrong client secret.
 */
export function getClientErrorBackoff(random: () => number = Math.random): number {
  return Math.floor(HOUR_MS / 4 + (HOUR_MS / 4) * random())
}

const HOUR_MS = 3_600_000

const DAY_MS = 24 * HOUR_MS

/**
 * How long a token is assumed to live if its expiry is unknown: some providers never report one although their tokens expire. Those
 * that are exchanged live for weeks, and providers refuse it on the first day.
 */
const ASSUMED_TTL_MS: Readonly<Record<RefreshedWith, number>> = {
  refresh_token: HOUR_MS,
  access_token: 2 * DAY_MS,
}

/** The longest wait that is ever stored. */
export const MAX_BACKOFF_MS = DAY_MS
