import { sql } from 'kysely'
import type { Database } from '../../../storage/database.ts'
import { createSharedClock } from '../../../storage/shared-clock.ts'

/** How far the background refresh is behind, on all nodes. */
export interface RefreshBacklog {
  /** Accounts that have been due for more than a minute; `MAX_OVERDUE` stands for any larger number. */
  readonly overdue: number
  /** For how long the account that is longest overdue has been due, in milliseconds; 0 if none is. */
  readonly lagMs: number
}

/** Returns a function that reads the backlog. It reads `MAX_OVERDUE` entries of the index at most. */
export function createRefreshBacklogReader(
  database: Database,
  now: () => number,
): () => Promise<RefreshBacklog> {
  const { statementTime } = createSharedClock(database, now)
  return async () => {
    const { rows } = await sql<{ overdue: number; lag: number | null }>`
      select (select count(*) from (select 1 from account_tokens
            where refresh_at is not null and refresh_at <= ${statementTime()} - 60000
            limit ${MAX_OVERDUE}) as late) as overdue,
        ${statementTime()} - (select refresh_at from account_tokens
            where refresh_at is not null order by refresh_at limit 1) as lag`.execute(database.read)
    const [row] = rows
    return { overdue: Number(row?.overdue ?? 0), lagMs: Math.max(0, Number(row?.lag ?? 0)) }
  }
}

/** The largest number of overdue accounts that is counted. */
export const MAX_OVERDUE = 10_000
