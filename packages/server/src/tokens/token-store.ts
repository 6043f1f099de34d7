import type { Kysely } from 'kysely'
import type { AccessScope } from '../auth/caller.ts'
import type { Database } from '../storage/database.ts'
import type { Tables, TokenRow } from '../storage/tables.ts'

/** Tokens of the caller's user. A token bound to a workspace sees only tokens bound to the same workspace. */
export function createTokenStore(database: Database) {
  const visibleTokens = (db: Kysely<Tables>, accessScope: AccessScope) => {
    const all = db.selectFrom('tokens').selectAll().where('user_id', '=', accessScope.userId)
    return accessScope.boundWorkspaceId === null
      ? all
      : all.where('workspace_id', '=', accessScope.boundWorkspaceId)
  }
  return {
    list: (accessScope: AccessScope): Promise<TokenRow[]> =>
      visibleTokens(database.read, accessScope)
        .where('revoked_at', 'is', null)
        .orderBy('created_at')
        .orderBy('token_id')
        .execute(),

    find: (
      db: Kysely<Tables>,
      accessScope: AccessScope,
      tokenId: string,
    ): Promise<TokenRow | undefined> =>
      visibleTokens(db, accessScope).where('token_id', '=', tokenId).executeTakeFirst(),

    async insert(trx: Kysely<Tables>, row: TokenRow): Promise<void> {
      await trx.insertInto('tokens').values(row).execute()
    },

    /** Whether the token is not revoked: a new token must not outlive its parent because of a race. */
    async isLive(trx: Kysely<Tables>, tokenId: string): Promise<boolean> {
      const row = await trx
        .selectFrom('tokens')
        .select('token_id')
        .where('token_id', '=', tokenId)
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Whether a token with this hash exists, including revoked ones, which must not become valid again. */
    async exists(trx: Kysely<Tables>, hash: Uint8Array): Promise<boolean> {
      const row = await trx
        .selectFrom('tokens')
        .select('token_id')
        .where('token_hash', '=', hash)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Revokes the owner's tokens that came from an earlier environment, and all tokens created with them. */
    async revokeEnvironmentTokens(trx: Kysely<Tables>, userId: string, now: number): Promise<void> {
      const rows = await trx
        .selectFrom('tokens')
        .select('token_id')
        .where('user_id', '=', userId)
        .where('origin', '=', 'environment')
        .where('revoked_at', 'is', null)
        .execute()
      for (const row of rows) await revokeWithDescendants(trx, userId, row.token_id, now)
    },

    /** Revokes a token of the caller and, recursively, all tokens created with it. */
    revoke: (
      trx: Kysely<Tables>,
      accessScope: AccessScope,
      tokenId: string,
      now: number,
    ): Promise<void> => revokeWithDescendants(trx, accessScope.userId, tokenId, now),
  }
}

export type TokenStore = ReturnType<typeof createTokenStore>

async function revokeWithDescendants(
  trx: Kysely<Tables>,
  userId: string,
  tokenId: string,
  now: number,
): Promise<void> {
  await trx
    .withRecursive('family', (db) =>
      db
        .selectFrom('tokens')
        .select('token_id')
        .where('token_id', '=', tokenId)
        .where('user_id', '=', userId)
        .unionAll((more) =>
          more
            .selectFrom('tokens')
            .innerJoin('family', 'family.token_id', 'tokens.parent_token_id')
            .select('tokens.token_id'),
        ),
    )
    .updateTable('tokens')
    .set({ revoked_at: now })
    .where('revoked_at', 'is', null)
    .where('token_id', 'in', (eb) => eb.selectFrom('family').select('token_id'))
    .execute()
}
