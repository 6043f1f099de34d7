import Type from 'typebox'
import { notFound } from '../../platform/errors.ts'
import { IdOf } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { Caller } from '../auth/caller.ts'
import { assertScopeGranted } from '../auth/scopes.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { serializeToken } from './list-tokens.ts'
import { Token } from './schemas.ts'
import type { AccessToken, TokenId } from './token.ts'
import type { TokenStore } from './token-store.ts'

export interface DeleteTokenDeps {
  readonly database: Database
  readonly tokens: TokenStore
  readonly now: () => number
}

export const deleteTokenOperation = defineOperation({
  id: 'deleteToken',
  sdk: 'tokens.delete',
  method: 'DELETE',
  path: '/v1/user/token/:tokenId',
  tag: 'Tokens',
  summary: 'Revoke a token and all tokens created with it',
  description:
    'Takes effect immediately. Users that were created with them keep their tokens. Repeated calls return the same response.',
  scope: 'tokens',
  params: Type.Object({ tokenId: IdOf<TokenId>({ description: 'Identifier of the token.' }) }),
  response: Token,
  returns: 'The revoked token.',
  errors: ['token_not_found'],
  audit: 'token.revoked',
  handle: (deps: DeleteTokenDeps, caller, { params }) => deleteToken(deps, caller, params.tokenId),
})

/**
 * Revokes a token and all tokens created with it, immediately. Repeated calls return the same response.
 *
 * @throws ApiError `token_not_found`; `insufficient_scope` if the token has scopes that the caller's lacks
 */
export async function deleteToken(
  deps: DeleteTokenDeps,
  caller: Caller,
  tokenId: TokenId,
): Promise<Token> {
  if (!isId('tok', tokenId)) throw notFound('token')
  const revoked = await deps.database.transaction(
    async (trx) => {
      const before = await deps.tokens.find(trx, caller, tokenId)
      if (before === undefined || before.revokedAt !== null) return before
      assertNotWider(caller, before)
      await deps.tokens.revoke(trx, caller, tokenId, deps.now())
      await record(trx, caller, deps.now(), {
        action: 'token.revoked',
        workspaceId: before.workspaceId,
        subject: tokenId,
      })
      return deps.tokens.find(trx, caller, tokenId)
    },
    { serializable: true },
  )
  if (revoked === undefined) throw notFound('token')
  return serializeToken(revoked)
}

/** A leaked token with few scopes must not be able to revoke the tokens of its owner. */
function assertNotWider(caller: Caller, token: AccessToken): void {
  for (const scope of token.scopes) assertScopeGranted(caller.scopes, scope)
}
