import { ApiError } from '../errors.ts'
import { isAccessToken } from './access-token.ts'
import type { AccessTokenStore, StoredToken } from './access-token-store.ts'
import type { Caller } from './caller.ts'
import { hashSecret } from './hash-secret.ts'
import { getGrantedScopes } from './scopes.ts'

/** `last_used_at` is updated at most this often, so that most requests do not write. */
const LAST_USED_INTERVAL_MS = 15 * 60 * 1_000

export interface AuthenticateDeps {
  readonly store: AccessTokenStore
  readonly now: () => number
  readonly log: (error: unknown, message: string) => void
}

/**
 * Authenticates a caller from `Authorization: Bearer …` (RFC 6750, section 2.1).
 *
 * Malformed, unknown, expired and revoked tokens give the same error, so that an attacker learns nothing from it.
 *
 * @throws ApiError `token_missing`, `token_invalid`
 */
export function createAuthenticate({ store, now, log }: AuthenticateDeps) {
  const touchedAt = new Map<string, number>()

  return async (authorization: string | undefined, requestId: string): Promise<Caller> => {
    const token = parseBearerToken(authorization)
    const storedToken = isAccessToken(token) ? await store.findByHash(hashSecret(token)) : undefined
    const currentTime = now()
    if (
      storedToken === undefined ||
      (storedToken.expires_at !== null && storedToken.expires_at <= currentTime)
    )
      throw new ApiError('token_invalid', 'This access token is invalid.')
    touchLastUsed(storedToken, currentTime)
    return {
      userId: storedToken.user_id,
      boundWorkspaceId: storedToken.workspace_id,
      tokenId: storedToken.token_id,
      scopes: getGrantedScopes(storedToken.scopes),
      expiresAt: storedToken.expires_at,
      requestId,
    }
  }

  function touchLastUsed(storedToken: StoredToken, currentTime: number): void {
    const lastUsedAt = Math.max(
      storedToken.last_used_at ?? 0,
      touchedAt.get(storedToken.token_id) ?? 0,
    )
    if (currentTime - lastUsedAt < LAST_USED_INTERVAL_MS) return
    if (touchedAt.size > 10_000) touchedAt.clear()
    touchedAt.set(storedToken.token_id, currentTime)
    // Not awaited: a request neither waits for this update nor fails with it.
    store
      .touchLastUsed(storedToken.token_id, currentTime)
      .catch((error) => log(error, 'the last use of a token was not recorded'))
  }
}

export type Authenticate = ReturnType<typeof createAuthenticate>

function parseBearerToken(authorization: string | undefined): string {
  if (authorization === undefined)
    throw new ApiError('token_missing', 'Send an access token: Authorization: Bearer lp_….')
  return /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? ''
}
