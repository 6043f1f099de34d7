import { createTimedCache } from '../../platform/once.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { AccountStatus } from './account.ts'

/** Counts the accounts of all workspaces by status, beside other reads: it reads the whole index. */
export function createAccountStatusCountStore(database: Database) {
  const count = database.prepare((db) =>
    db
      .selectFrom('accounts')
      .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
      .where('deleted_at', 'is', null)
      .groupBy('status'),
  )
  return {
    async count(): Promise<{ readonly status: AccountStatus; readonly count: number }[]> {
      const rows = await count.allAside('metrics', {})
      return rows.map((row) => ({ status: row.status as AccountStatus, count: Number(row.count) }))
    },
  }
}

export type AccountStatusCounts = readonly {
  readonly status: AccountStatus
  readonly count: number
}[]

/** Counts are this old at most: with millions of accounts each count takes seconds, of a thread or of PostgreSQL. */
const MAX_AGE_MS = 5 * 60_000

/** Counts accounts by status for metrics, at most once in five minutes, and never twice at the same time. */
export function createAccountStatusCounts(
  store: ReturnType<typeof createAccountStatusCountStore>,
  now: () => number,
): () => Promise<AccountStatusCounts> {
  const readOnce = createTimedCache<AccountStatusCounts>({
    maxAgeMs: MAX_AGE_MS,
    maxEntries: 1,
    now,
  })
  return () => readOnce('all', () => store.count())
}
