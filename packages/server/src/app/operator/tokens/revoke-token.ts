import type { TokenId } from '../../../access/tokens/token.ts'
import {
  findStoredToken,
  revokeWithDescendants,
} from '../../../access/tokens/token-family-store.ts'
import type { UserStore } from '../../../access/users/user-store.ts'
import { record } from '../../../platform/record/record-store.ts'
import type { Database } from '../../../platform/storage/database.ts'

export interface RevokeTokenDeps {
  readonly database: Database
  readonly users: UserStore
  readonly now: () => number
}

/**
 * Revokes a token of any user and all tokens created with it; with `includeUsers`, all tokens of
 * the users that were created with these, too.
 *
 * @returns how many were revoked: 0 if all were before; undefined if there is no such token
 */
export async function revokeToken(
  { database, users, now }: RevokeTokenDeps,
  tokenId: TokenId,
  { includeUsers = false }: { readonly includeUsers?: boolean } = {},
): Promise<number | undefined> {
  return database.transaction(
    async (trx) => {
      const token = await findStoredToken(trx, tokenId)
      if (token === undefined) return undefined
      const options = { includeUsers }
      const count = await revokeWithDescendants(trx, token.user_id, tokenId, now(), options)
      if (count === 0) return 0
      const owner = await users.findOwner(trx)
      const by = { tokenId: null, requestId: '', kind: 'system', via: 'cli' } as const
      await record(trx, { ...by, userId: owner?.userId ?? token.user_id }, now(), {
        action: 'token.revoked',
        workspaceId: token.workspace_id,
        subject: tokenId,
        detail: includeUsers ? { includeUsers } : {},
      })
      return count
    },
    { serializable: true },
  )
}
