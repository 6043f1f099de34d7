import type { Database } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import type { MaybePromise, Param } from '../storage/prepared-query.ts'

/** The stored columns of a token that authentication reads. */
export interface StoredToken {
  readonly token_id: Id<'tok'>
  readonly user_id: Id<'usr'>
  readonly workspace_id: Id<'wsp'> | null
  readonly scopes: string
  readonly expires_at: number | null
  readonly last_used_at: number | null
  readonly origin: 'owner' | 'environment' | 'minted' | 'user'
  readonly reads_per_minute: number | null
  readonly writes_per_minute: number | null
  /** The accounts that it is bound to, separated by single spaces; null for all. */
  readonly account_ids: string | null
}

/** Looks up tokens by hash. Takes no WorkspaceAccess, because the WorkspaceAccess is derived from the token. */
export function createAccessTokenStore(database: Database) {
  const byHash = database.prepare(
    (db, param: Param<{ hash: Uint8Array }>) =>
      db
        .selectFrom('tokens')
        .select(['token_id', 'user_id', 'workspace_id', 'scopes', 'expires_at', 'last_used_at'])
        .select(['origin', 'reads_per_minute', 'writes_per_minute', 'account_ids'])
        .where('token_hash', '=', param('hash'))
        .where('revoked_at', 'is', null),
    { hash: 'bytea' },
  )
  return {
    /** The token with this hash, expired or not; undefined when it is unknown or revoked. */
    findByHash: (hash: Uint8Array): MaybePromise<StoredToken | undefined> =>
      byHash.firstDirect({ hash }),

    /** See `Database`. */
    readDataVersion: () => database.readDataVersion(),

    async touchLastUsed(tokenId: Id<'tok'>, now: number): Promise<void> {
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
