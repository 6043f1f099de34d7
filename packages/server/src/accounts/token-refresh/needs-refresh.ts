import type { AccountRow } from '../../storage/tables.ts'
import { MAX_BACKOFF_MS, MIN_TOKEN_TTL_MS } from './refresh-schedule.ts'

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
