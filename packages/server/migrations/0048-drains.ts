import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** What was cut off when nodes stopped: a process cannot report it itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = sql.raw(isPostgres ? 'text collate "C"' : 'text')
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  await sql`create table drains (
    drain_id ${text} not null primary key,
    cause ${text} not null,
    requests ${integer} not null,
    jobs ${integer} not null,
    counts_from ${integer} not null
  )`.execute(db)
}

export const minReader = '0044-data-key-numbers'
