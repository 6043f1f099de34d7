import type { Caller } from '../auth/caller.ts'
import { toTimestamp } from '../http/schema.ts'
import type { Token } from './schemas.ts'
import type { AccessToken } from './token.ts'
import type { TokenStore } from './token-store.ts'

/**
 * The tokens of the caller's user that are not revoked, oldest first, without the token values (interface: List
 * tokens).
 */
export async function listTokens(
  deps: { readonly tokens: TokenStore },
  caller: Caller,
): Promise<Token[]> {
  return (await deps.tokens.list(caller)).map(serializeToken)
}

/** Serializes a token, without its value. */
export function serializeToken(token: AccessToken): Token {
  return {
    tokenId: token.tokenId,
    name: token.name,
    scopes: [...token.scopes],
    workspaceId: token.workspaceId,
    integrationAccountIds: token.accountIds == null ? null : [...token.accountIds],
    expiresAt: optionalTimestamp(token.expiresAt),
    createdAt: toTimestamp(token.createdAt),
    lastUsedAt: optionalTimestamp(token.lastUsedAt),
    revokedAt: optionalTimestamp(token.revokedAt),
  }
}

function optionalTimestamp(time: number | null): string | null {
  return time === null ? null : toTimestamp(time)
}
