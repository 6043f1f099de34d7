import type { Database } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import type { MaybePromise, Param } from '../storage/prepared-query.ts'
import { defineRowChecksum } from '../storage/row-checksum.ts'

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
        .select(['parent_token_id', 'created_at'])
        .select(TOKEN_CHECKSUM.column)
        .where('token_hash', '=', param('hash'))
        .where('revoked_at', 'is', null),
    { hash: 'bytea' },
  )
  return {
    /**
     * The token with this hash, expired or not; undefined when it is unknown or revoked.
     * @throws {StorageError} `corrupt` if it has changed on the disk, or if the index leads to another token
     */
    findByHash(hash: Uint8Array): MaybePromise<StoredToken | undefined> {
      const found = byHash.firstDirect({ hash })
      const verify = (row: Awaited<typeof found>): StoredToken | undefined =>
        row && TOKEN_CHECKSUM.verify({ ...row, token_hash: hash })
      return found instanceof Promise ? found.then(verify) : verify(found)
    },

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

/** Of what never changes in a token. */
export const TOKEN_CHECKSUM = defineRowChecksum({
  ...({ table: 'tokens', key: 'token_id', storedIn: 'token_checksums' } as const),
  columns: [
    ...(['token_id', 'token_hash', 'user_id', 'workspace_id', 'parent_token_id'] as const),
    ...(['scopes', 'origin', 'created_at', 'expires_at', 'reads_per_minute'] as const),
    ...(['writes_per_minute', 'account_ids'] as const),
  ],
})
