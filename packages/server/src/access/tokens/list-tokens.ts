import type { Readable } from 'node:stream'
import { listInParts } from '../../platform/http/list-in-parts.ts'
import { ALL_ROWS, type Pagination } from '../../platform/http/pagination.ts'
import { listOf, toTimestamp } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { TakeTurn } from '../../platform/http/turns.ts'
import type { Caller } from '../auth/caller.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { Token } from './schemas.ts'
import type { AccessToken } from './token.ts'
import type { TokenStore } from './token-store.ts'

export interface ListTokensDeps {
  readonly tokens: TokenStore
  readonly takeTurn: TakeTurn
}

export const listTokensOperation = defineOperation({
  id: 'listTokens',
  sdk: 'tokens.list',
  method: 'GET',
  path: '/v1/user/token',
  tag: 'Tokens',
  summary: 'List tokens',
  description:
    'Returns the tokens of the user that are not revoked, oldest first, without the token values.',
  scope: 'tokens',
  response: listOf(Token),
  returns: 'The tokens that are not revoked, oldest first.',
  errors: [],
  handle: (deps: ListTokensDeps, caller) => listTokens(deps, caller),
})

/**
 * The tokens of the caller's user that are not revoked, oldest first, without the token values (interface: List
 * tokens), as JSON.
 */
export async function listTokens(deps: ListTokensDeps, caller: Caller): Promise<string | Readable> {
  const source = {
    read: (page: Pagination) => deps.tokens.list(caller, page),
    positionOf: ({ createdAt, tokenId }: AccessToken) => ({ createdAt, id: tokenId }),
    serialize: (tokens: readonly AccessToken[]) =>
      tokens.map((token) => stringify(serializeToken(token))),
  }
  return (await listInParts(source, ALL_ROWS, { ...deps, reauthenticate: caller.reauthenticate }))
    .json
}

const stringify = createSerializer(Token)

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
