import type { Database, MaybePromise, Param } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { TokenRow } from '../../platform/storage/tables.ts'

/** The stored columns of a token that authentication reads. */
export interface StoredToken extends TokenLimits {
  readonly user_id: Id<'usr'>
  readonly workspace_id: Id<'wsp'> | null
  readonly scopes: string
  readonly expires_at: number | null
  readonly last_used_at: number | null
  readonly origin: TokenRow['origin']
  /** The token that it was created with. */
  readonly parent_token_id: Id<'tok'> | null
  /** The accounts that it is bound to, separated by single spaces; null for all. */
  readonly account_ids: string | null
}

/** A token's own limits; null for those of the service. */
export interface TokenLimits {
  readonly token_id: Id<'tok'>
  readonly reads_per_minute: number | null
  readonly writes_per_minute: number | null
}

/** Looks up tokens by hash. Takes no WorkspaceAccess, because the WorkspaceAccess is derived from the token. */
export function createAccessTokenStore(database: Database) {
  const byHash = database.prepare(
    (db, param: Param<{ hash: Uint8Array }>) =>
      db
        .selectFrom('tokens')
        .select(['token_id', 'user_id', 'workspace_id', 'scopes', 'expires_at', 'last_used_at'])
        .select(['origin', 'reads_per_minute', 'writes_per_minute', 'account_ids'])
        .select('parent_token_id')
        .where('token_hash', '=', param('hash'))
        .where('revoked_at', 'is', null),
    { hash: 'bytea' },
  )
  return {
    /** The token with this hash, expired or not; undefined when it is unknown or revoked. */
    findByHash: (hash: Uint8Array): MaybePromise<StoredToken | undefined> =>
      byHash.firstDirect({ hash }),

    /** The member who acts with the token of a console session. */
    async findPerson(tokenId: Id<'tok'>): Promise<Id<'usr'> | undefined> {
      const row = await database.read
        .selectFrom('session_tokens')
        .select('user_id')
        .where('token_id', '=', tokenId)
        .executeTakeFirst()
      return row?.user_id
    },

    /** The tokens that a token descends from, its creator first. */
    async listAncestors(parentId: Id<'tok'>): Promise<TokenLimits[]> {
      const rows = await database.read
        .withRecursive('ancestors', (db) =>
          db
            .selectFrom('tokens')
            .select(['token_id', 'parent_token_id'])
            .where('token_id', '=', parentId)
            // Without duplicates, so that a cycle of parents cannot make them endless.
            .union((more) =>
              more
                .selectFrom('tokens')
                .innerJoin('ancestors', 'ancestors.parent_token_id', 'tokens.token_id')
                .select(['tokens.token_id', 'tokens.parent_token_id']),
            ),
        )
        .selectFrom('tokens')
        .select(['token_id', 'parent_token_id', 'origin', 'reads_per_minute', 'writes_per_minute'])
        .where('token_id', 'in', (eb) => eb.selectFrom('ancestors').select('token_id'))
        .execute()
      const byId = new Map(rows.map((row) => [row.token_id, row]))
      const ancestors: TokenLimits[] = []
      for (let row = byId.get(parentId); row !== undefined; ) {
        ancestors.push(row)
        byId.delete(row.token_id)
        // The first token of a user names its creator, who is another tenant.
        const parentOfRow = row.origin === 'user' ? null : row.parent_token_id
        row = parentOfRow === null ? undefined : byId.get(parentOfRow)
      }
      return ancestors
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
