import type { AccountRow } from '../../storage/tables.ts'
import { getRefreshTime } from './refresh-schedule.ts'

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
