import { type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'

/** The clock that all nodes share, as expressions for statements. Epoch milliseconds. */
export interface SharedClock {
  /** The time at which the expression is evaluated. */
  now(): RawBuilder<number>
  /** The time at which the statement started. It is constant in a statement, so an index can be searched for it. */
  statementTime(): RawBuilder<number>
}

/**
 * On PostgreSQL the clock of the database, because the clocks of the nodes differ; on SQLite, which one process uses, the
 * clock of that process.
 */
export function createSharedClock(database: Database, now: () => number): SharedClock {
  if (database.dialect === 'postgres')
    return {
      now: () => sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
      statementTime: () => sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint`,
    }
  const processTime = () => sql<number>`cast(${now()} as integer)`
  return { now: processTime, statementTime: processTime }
}
