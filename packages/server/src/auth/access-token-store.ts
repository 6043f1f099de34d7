import type { Database } from '../storage/database.ts'
import type { Param } from '../storage/prepared-query.ts'

/** What a token says about its bearer. */
export interface StoredToken {
  readonly token_id: string
  readonly user_id: string
  readonly workspace_id: string | null
  readonly scopes: string
  readonly expires_at: number | null
  readonly last_used_at: number | null
}

/** Looks up tokens by hash. Not bound to a reach: it is what a reach is made from. */
export function createAccessTokenStore(database: Database) {
  const byHash = database.prepare((db, param: Param<{ hash: Uint8Array }>) =>
    db
      .selectFrom('tokens')
      .select(['token_id', 'user_id', 'workspace_id', 'scopes', 'expires_at', 'last_used_at'])
      .where('token_hash', '=', param('hash'))
      .where('revoked_at', 'is', null),
  )
  return {
    /** The live or expired token with this hash; undefined when unknown or revoked. */
    findByHash: (hash: Uint8Array): Promise<StoredToken | undefined> => byHash.first({ hash }),

    async touchLastUsed(tokenId: string, now: number): Promise<void> {
      await database.transaction((trx) =>
        trx
          .updateTable('tokens')
          .set({ last_used_at: now })
          .where('token_id', '=', tokenId)
          .execute(),
      )
    },
  }
}

export type AccessTokenStore = ReturnType<typeof createAccessTokenStore>
