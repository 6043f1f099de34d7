import { type Revocation, type RevocationOutcome, revokeToken } from './revoke-token.ts'
import type { OAuthRequestDeps } from './token-endpoint.ts'

/** The tokens of one grant. */
export interface GrantTokens {
  readonly accessToken: string | undefined
  readonly refreshToken: string | undefined
}

/**
 * Revokes both tokens of a grant, the refresh token first, until `signal` ends it. Null when there is none. The first
 * outcome counts: many providers revoke refresh tokens only, and access tokens with them (RFC 7009 section 2.1).
 */
export async function revokeTokens(
  deps: Pick<OAuthRequestDeps, 'egressGateway'>,
  grant: Omit<Revocation, 'token' | 'tokenTypeHint'>,
  { accessToken, refreshToken }: GrantTokens,
): Promise<RevocationOutcome | null> {
  const tokensByType = [
    ['refresh_token', refreshToken],
    ['access_token', accessToken],
  ] as const
  const outcomes: RevocationOutcome[] = []
  for (const [tokenTypeHint, token] of tokensByType) {
    if (token === undefined || grant.signal?.aborted) continue
    outcomes.push(await revokeToken(deps, { ...grant, token, tokenTypeHint }))
  }
  return outcomes[0] ?? null
}
