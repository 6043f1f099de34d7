import { sql } from 'kysely'
import type { Database } from '../../../../platform/storage/database.ts'
import { createSharedClock } from '../../../../platform/storage/shared-clock.ts'
import type { PassedOver } from '../refresh-counts.ts'
import { isNotSkipped } from '../skipped-hosts-store.ts'

/** How far the background refresh is behind, on all nodes. */
export interface RefreshBacklog {
  /** Accounts that have been due for more than a minute; `MAX_OVERDUE` stands for any larger number. */
  readonly overdue: number
  /** For how long the account that is longest overdue has been due, in milliseconds; 0 if none is. */
  readonly lagMs: number
}

/**
 * Returns a function that reads the backlog, without the accounts that this node passes over. It reads `MAX_OVERDUE` entries of
 * the index after those at most.
 */
export function createRefreshBacklogReader(
  database: Database,
  now: () => number,
  readPassedOver: () => PassedOver,
): () => Promise<RefreshBacklog> {
  const { statementTime } = createSharedClock(database, now)
  return async () => {
    const { hosts, until } = readPassedOver()
    const { rows } = await sql<{ overdue: number; lag: number | null }>`
      with due as (select refresh_at, workspace_id, token_host from account_tokens
          where refresh_at is not null and refresh_at >= ${until} and refresh_at <= ${statementTime()}
          order by refresh_at limit ${MAX_OVERDUE}),
        late as (select refresh_at from due as account_tokens where true ${isNotSkipped(database, hosts)})
      select count(case when refresh_at <= ${statementTime()} - 60000 then 1 end) as overdue,
        ${statementTime()} - min(refresh_at) as lag from late`.execute(database.read)
    const [row] = rows
    return { overdue: Number(row?.overdue ?? 0), lagMs: Math.max(0, Number(row?.lag ?? 0)) }
  }
}

/** The largest number of overdue accounts that is counted. */
export const MAX_OVERDUE = 10_000
