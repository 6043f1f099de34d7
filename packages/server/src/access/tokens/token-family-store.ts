import type { Kysely } from 'kysely'
import type { Id } from '../../platform/storage/id.ts'
import type { Tables, TokenRow } from '../../platform/storage/tables.ts'
import type { TokenId } from './token.ts'

/** The row of a token of any user: for the operator. */
export function findStoredToken(
  trx: Kysely<Tables>,
  tokenId: TokenId,
): Promise<TokenRow | undefined> {
  return trx.selectFrom('tokens').selectAll().where('token_id', '=', tokenId).executeTakeFirst()
}

/**
 * Revokes a token and all that were created with it, but those of the users that were created with them only if `includeUsers` says so.
 *
 * @returns how many were not revoked before
 */
export async function revokeWithDescendants(
  trx: Kysely<Tables>,
  userId: Id<'usr'>,
  tokenId: TokenId,
  now: number,
  { includeUsers = false }: { readonly includeUsers?: boolean } = {},
): Promise<number> {
  const { numUpdatedRows } = await trx
    .withRecursive('family', (db) =>
      db
        .selectFrom('tokens')
        .select('token_id')
        .where('token_id', '=', tokenId)
        .where('user_id', '=', userId)
        // Without duplicates, so that a cycle of parents cannot make the family endless.
        .union((more) =>
          more
            .selectFrom('tokens')
            .innerJoin('family', 'family.token_id', 'tokens.parent_token_id')
            .select('tokens.token_id')
            .$if(!includeUsers, (query) => query.where('tokens.origin', '!=', 'user')),
        ),
    )
    .updateTable('tokens')
    .set({ revoked_at: now })
    .where('revoked_at', 'is', null)
    .where('token_id', 'in', (eb) => eb.selectFrom('family').select('token_id'))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** The users that were created with a token, or with one that was created with it, and that have a token which is not revoked. */
export async function listCreatedUsers(
  trx: Kysely<Tables>,
  tokenId: TokenId,
): Promise<Id<'usr'>[]> {
  const rows = await trx
    .withRecursive('family', (db) =>
      db
        .selectFrom('tokens')
        .select('token_id')
        .where('token_id', '=', tokenId)
        .union((more) =>
          more
            .selectFrom('tokens')
            .innerJoin('family', 'family.token_id', 'tokens.parent_token_id')
            .select('tokens.token_id'),
        ),
    )
    .selectFrom('tokens')
    .select('user_id')
    .distinct()
    .where('token_id', 'in', (eb) => eb.selectFrom('family').select('token_id'))
    .where('revoked_at', 'is', null)
    .where('user_id', 'not in', (eb) =>
      eb.selectFrom('tokens as root').select('root.user_id').where('root.token_id', '=', tokenId),
    )
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}
