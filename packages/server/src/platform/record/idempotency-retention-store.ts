import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Database, Transaction } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import { createSharedClock } from '../storage/portable-sql.ts'
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

/** A page of the keys of a user, in the order in which they expire. */
export interface IdempotencyKeyPage {
  readonly userId: Id<'usr'>
  readonly workspaceId: Id<'wsp'>
  /** The `expires_at` of the page before; 0 for the first one. */
  readonly after: number
}

/**
 * Deletes those keys of a page whose requests created or changed an account that is erased by now. Returns where the next
 * page begins; undefined after the last one.
 */
export async function deleteKeysOfErasedAccounts(
  trx: Transaction,
  { userId, workspaceId, after }: IdempotencyKeyPage,
): Promise<number | undefined> {
  const rows = await trx
    .selectFrom('idempotency_keys')
    .select(['expires_at', 'resource'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', after)
    .orderBy('expires_at')
    .limit(PAGE)
    .execute()
  const resources = rows.flatMap(({ resource }) => (resource === null ? [] : [resource]))
  const erased = await listErasedAccounts(trx, workspaceId, resources)
  if (erased.length > 0)
    await trx
      .deleteFrom('idempotency_keys')
      .where('user_id', '=', userId)
      .where('expires_at', '>', after)
      .where('expires_at', '<=', Number(rows.at(-1)?.expires_at))
      .where('resource', 'in', erased)
      .execute()
  return rows.length < PAGE ? undefined : getNextPage(rows)
}

/** Those of the resources that are accounts of erased customers. */
export async function listErasedAccounts(
  trx: Transaction,
  workspaceId: Id<'wsp'>,
  resources: readonly string[],
): Promise<string[]> {
  if (resources.length === 0) return []
  const rows = await trx
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', 'in', resources as readonly Id<'acc'>[])
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is not', null)
    // No other account has an empty name.
    .where('name', '=', '')
    .execute()
  return rows.map((row) => row.account_id)
}

/** The last millisecond is read again, because more keys than those of the page may expire in it. */
function getNextPage(rows: readonly { readonly expires_at: number }[]): number {
  const [first, last] = [Number(rows[0]?.expires_at), Number(rows.at(-1)?.expires_at)]
  return last > first ? last - 1 : last
}

const PAGE = 200

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
