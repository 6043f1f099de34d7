import type { Caller } from '../auth/caller.ts'
import { toTimestamp } from '../http/schema.ts'
import type { TokenRow } from '../storage/tables.ts'
import type { Token } from './token.ts'
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
export function serializeToken(row: TokenRow): Token {
  return {
    tokenId: row.token_id,
    name: row.name,
    scopes: row.scopes.split(' '),
    workspaceId: row.workspace_id,
    expiresAt: optionalTimestamp(row.expires_at),
    createdAt: toTimestamp(row.created_at),
    lastUsedAt: optionalTimestamp(row.last_used_at),
    revokedAt: optionalTimestamp(row.revoked_at),
  }
}

function optionalTimestamp(time: number | null): string | null {
  return time === null ? null : toTimestamp(time)
}
