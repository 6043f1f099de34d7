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
