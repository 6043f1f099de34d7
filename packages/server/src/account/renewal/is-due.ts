import type { AccountRow } from '../../storage/tables.ts'
import { LEAST_LIFE_MS } from './renewal-times.ts'

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
  if (row.renew_failures > 0 && (row.renew_at ?? 0) > at) return false
  if (wish.kind === 'refused') return row.credential_version === wish.version
  if (wish.kind === 'early') return row.renew_at !== null && row.renew_at <= at
  if (row.token_expires_at === null) return false
  // Without a time to renew at there is no refresh token: then it only is to be said that the token has ended.
  if (row.renew_at === null) return row.token_expires_at <= at
  // Lives shorter than the margin have a time of their own, or each use would renew.
  return row.token_expires_at - at < LEAST_LIFE_MS && row.renew_at <= at
}

/** Whether the access token can still be used. */
export function isAlive(row: AccountRow, at: number): boolean {
  return row.token_expires_at === null || row.token_expires_at > at
}
