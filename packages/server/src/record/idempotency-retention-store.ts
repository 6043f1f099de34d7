import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Database, Transaction } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import { createSharedClock } from '../storage/shared-clock.ts'
import type { Tables } from '../storage/tables.ts'

/** How long idempotency keys are stored, and how many. */
export function createIdempotencyRetentionStore(database: Database, now: () => number) {
  const clock = createSharedClock(database, now)
  return {
    /** Deletes at most `limit` expired keys and returns how many. */
    deleteExpired(limit: number): Promise<number> {
      return deleteFirst(database, limit, (eb) => eb('expires_at', '<=', clock.statementTime()))
    },

    /** The number of a user's keys and the size of their responses. */
    async measure(userId: Id<'usr'>): Promise<{ keys: number; bytes: number }> {
      const { keys, bytes } = await database.read
        .selectFrom('idempotency_keys')
        .select((eb) => [eb.fn.countAll().as('keys'), eb.fn.sum('response_bytes').as('bytes')])
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow()
      return { keys: Number(keys), bytes: Number(bytes) }
    },

    /** Deletes the `limit` oldest keys of a user, except those of running requests, and returns how many. */
    deleteOldest(userId: Id<'usr'>, limit: number): Promise<number> {
      return deleteFirst(database, limit, (eb) => eb.and({ user_id: userId, state: 'done' }))
    },
  }
}

export type IdempotencyRetentionStore = ReturnType<typeof createIdempotencyRetentionStore>

/** What a user's keys to delete are about. */
export type IdempotencyKeyFilter =
  | { readonly resources: readonly string[] }
  | { readonly workspaceId: Id<'wsp'> }

/**
 * Deletes the keys of a user whose requests created or changed these resources, or anything in this workspace, with the
 * stored responses. Reads all keys of the user, of which there is a limited number.
 */
export async function deleteIdempotencyKeys(
  trx: Transaction,
  { userId }: { readonly userId: Id<'usr'> },
  filter: IdempotencyKeyFilter,
): Promise<void> {
  await trx
    .deleteFrom('idempotency_keys')
    .where('user_id', '=', userId)
    .where((eb) =>
      'resources' in filter
        ? eb('resource', 'in', filter.resources)
        : eb.or([
            eb('workspace_id', '=', filter.workspaceId),
            eb('bound_workspace_id', '=', filter.workspaceId),
          ]),
    )
    .execute()
}

/** Deletes the first keys to expire, of those that match, and returns how many: `limit`, or more that expire at the same time. */
function deleteFirst(
  database: Database,
  limit: number,
  matches: (eb: ExpressionBuilder<Tables, 'idempotency_keys'>) => Expression<SqlBool>,
): Promise<number> {
  return database.transaction(async (trx) => {
    const first = trx
      .selectFrom('idempotency_keys')
      .select('expires_at')
      .where(matches)
      .orderBy('expires_at')
      .limit(limit)
    const { numDeletedRows } = await trx
      .deleteFrom('idempotency_keys')
      .where(matches)
      .where('expires_at', '<=', (eb) =>
        eb.selectFrom(first.as('first')).select((max) => max.fn.max('expires_at').as('last')),
      )
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  })
}
