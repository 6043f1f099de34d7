import { ApiError } from '../errors.ts'
import { hashAccessToken, isAccessToken } from './access-token.ts'
import type { Caller } from './caller.ts'
import type { CallerStore, TokenFacts } from './caller-store.ts'
import { grantedScopes } from './scopes.ts'

/** `last_used_at` moves in steps, so that reads stay reads. */
const LAST_USE_STEP_MS = 15 * 60 * 1_000

export interface AuthenticateDeps {
  readonly store: CallerStore
  readonly now: () => number
  readonly log: (error: unknown, message: string) => void
}

/**
 * Tells who calls from `Authorization: Bearer …` (RFC 6750, section 2.1).
 *
 * Malformed, unknown, expired and revoked tokens share one code, so that nothing is learned from the difference.
 *
 * @throws ApiError `token_missing`, `token_invalid`
 */
export function createAuthenticate({ store, now, log }: AuthenticateDeps) {
  const touched = new Map<string, number>()

  return async (authorization: string | undefined, requestId: string): Promise<Caller> => {
    const token = bearerToken(authorization)
    const facts = isAccessToken(token) ? await store.findByHash(hashAccessToken(token)) : undefined
    const time = now()
    if (facts === undefined || (facts.expires_at !== null && facts.expires_at <= time))
      throw new ApiError('token_invalid', 'This access token is not valid.')
    noteUse(facts, time)
    return {
      userId: facts.user_id,
      boundTo: facts.workspace_id,
      tokenId: facts.token_id,
      scopes: grantedScopes(facts.scopes),
      expiresAt: facts.expires_at,
      requestId,
    }
  }

  function noteUse(facts: TokenFacts, time: number): void {
    const last = Math.max(facts.last_used_at ?? 0, touched.get(facts.token_id) ?? 0)
    if (time - last < LAST_USE_STEP_MS) return
    if (touched.size > 10_000) touched.clear()
    touched.set(facts.token_id, time)
    // Nobody waits for this, and a request does not fail over it.
    store
      .touch(facts.token_id, time)
      .catch((error) => log(error, 'last use of a token was not kept'))
  }
}

export type Authenticate = ReturnType<typeof createAuthenticate>

function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined)
    throw new ApiError('token_missing', 'Send an access token: Authorization: Bearer lp_….')
  return /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? ''
}
