import { createTimedCache } from '../../platform/once.ts'
import type { Database } from '../../platform/storage/database.ts'
import { ACCOUNT_STATUSES, type AccountStatus } from './account.ts'

/** How many accounts of all workspaces have each status. */
export type AccountStatusCounts = Readonly<Record<AccountStatus, number>>

/** Counts the accounts of all workspaces by status. It reads an entry of an index for each account. */
export function createAccountStatusCountStore(database: Database) {
  const prepared = database.prepare((db) =>
    db
      .selectFrom('accounts')
      .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
      .where('deleted_at', 'is', null)
      .groupBy('status'),
  )
  return {
    async count(): Promise<AccountStatusCounts> {
      const rows = await prepared.allLong('metrics', {})
      return Object.fromEntries([
        ...ACCOUNT_STATUSES.map((status) => [status, 0]),
        ...rows.map(({ status, count }) => [status, Number(count)]),
      ])
    },
  }
}

/** Counts are this old at most: with millions of accounts each count takes seconds, of a thread or of PostgreSQL. */
const MAX_AGE_MS = 5 * 60_000

/** Counts accounts by status for metrics, at most once in five minutes, and never twice at the same time. */
export function createAccountStatusCounts(
  store: Pick<ReturnType<typeof createAccountStatusCountStore>, 'count'>,
  now: () => number,
): () => Promise<AccountStatusCounts> {
  const readOnce = createTimedCache<AccountStatusCounts>({
    maxAgeMs: MAX_AGE_MS,
    maxEntries: 1,
    now,
  })
  return () => readOnce('all', () => store.count())
}
