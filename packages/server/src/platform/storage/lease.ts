import { sql } from 'kysely'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

/** Tables of work that one process at a time runs, and their keys. `alive_until` says until when it is someone's; null if it has ended. */
interface LeasedTables {
  readonly bulk_jobs: 'bulk_job_id'
  readonly erasures: 'erasure_id'
  readonly workspace_deletions: 'workspace_id'
}

/** Until when the work is the caller's. Epoch milliseconds. */
export interface Lease {
  readonly now: number
  readonly aliveUntil: number
}

/** Claims a row whose process has left its work unfinished. Each goes to one caller, on all nodes; undefined without one. */
export function claimAbandoned<T extends keyof LeasedTables>(
  database: Database,
  table: T,
  key: LeasedTables[T],
  { now, aliveUntil }: Lease,
): Promise<Tables[T] | undefined> {
  return database.transaction(async (trx) => {
    const { rows } = await sql<Tables[T]>`
      update ${sql.table(table)} set alive_until = ${aliveUntil}
      where alive_until <= ${now} and ${sql.ref(key)} = (
        select ${sql.ref(key)} from ${sql.table(table)}
        where alive_until is not null and alive_until <= ${now} limit 1
      ) returning *`.execute(trx)
    return rows[0]
  })
}
