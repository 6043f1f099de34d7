import type { AccountRow } from '../../storage/tables.ts'
import { renewTime } from './renewal-times.ts'

/** What is known of the life of an access token. */
export type TokenTimes = Pick<AccountRow, 'token_expires_at' | 'token_life_ms' | 'renew_at'>

/**
 * The times of an access token that was just issued. Some providers tell its end with the first token only, so the life
 * that they told before holds on (`lifeMs`). Without a refresh token the time to renew is the end: then it is to be said.
 *
 * @param end as the provider told; undefined when it did not, null when it is another's token, whose end nobody knows
 */
export function tokenTimes(
  now: number,
  end: number | null | undefined,
  lifeMs: number | null,
  hasRefreshToken: boolean,
): TokenTimes {
  const told = end === undefined || end === null || end <= now ? null : end - now
  const remembered = end === undefined && lifeMs !== null ? now + lifeMs : null
  const expiresAt = end ?? remembered
  return {
    token_expires_at: expiresAt,
    token_life_ms: told ?? lifeMs,
    renew_at: hasRefreshToken ? renewTime(now, expiresAt) : expiresAt,
  }
}
