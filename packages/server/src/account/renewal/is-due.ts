import type { AccountRow } from '../../storage/tables.ts'
import { LEAST_LIFE_MS, LONGEST_WAIT_MS } from './renewal-times.ts'

/**
 * Why a renewal is wished for. `use`: the token is about to be used. `early`: its time has come, in the background.
 * `refused`: the provider's API did not accept the token of this version. `repaired`: the OAuth app was changed since
 * the failure at this time.
 */
export type Wish =
  | { readonly kind: 'use' | 'early' }
  | { readonly kind: 'refused'; readonly version: number }
  | { readonly kind: 'repaired'; readonly failedAt: number }

/** Whether to ask the provider now. While backing off nobody asks, whatever the wish. */
export function isDue(row: AccountRow, at: number, wish: Wish): boolean {
  if (row.oauth_app_id === null || row.sealed_config === null || row.status === 'needs_reauth')
    return false
  if (wish.kind === 'repaired') return row.status === 'error' && row.updated_at === wish.failedAt
  if (row.renew_failures > 0 && isWaiting(row.renew_at ?? 0, at)) return false
  if (wish.kind === 'refused') return row.credential_version === wish.version
  if (isIssuedLater(row, at)) return true
  if (wish.kind === 'early') return row.renew_at !== null && row.renew_at <= at
  if (row.token_expires_at === null) return false
  // Without a time to renew at there is no refresh token: then it only is to be said that the token has ended.
  if (row.renew_at === null) return row.token_expires_at <= at
  // Lives shorter than the margin have a time of their own, or each use would renew.
  return row.token_expires_at - at < LEAST_LIFE_MS && row.renew_at <= at
}

/** A wait that is longer than any was written before the clock was set back. */
function isWaiting(until: number, at: number): boolean {
  return until > at && until - at <= LONGEST_WAIT_MS
}

/** Issued after now: the clock was set back since, and when the token ends is anybody's guess. */
function isIssuedLater(
  { token_expires_at: end, token_life_ms: life, renew_at }: AccountRow,
  at: number,
) {
  if (end === null || life === null || renew_at === null || renew_at === end) return false
  return end - life > at + CLOCK_SLACK_MS
}

/** Whether the access token can still be used. */
export function isAlive(row: AccountRow, at: number): boolean {
  return row.token_expires_at === null || row.token_expires_at > at
}

/** Of clocks that are set right all the time. */
const CLOCK_SLACK_MS = 60_000
