import type { Kysely } from 'kysely'
import type { Id } from '../storage/id.ts'
import type { Tables } from '../storage/tables.ts'
import type { TokenId } from './token.ts'

/** Revokes a token and all that were created with it. */
export async function revokeWithDescendants(
  trx: Kysely<Tables>,
  userId: Id<'usr'>,
  tokenId: TokenId,
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
