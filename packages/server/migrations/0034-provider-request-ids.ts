import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** The provider's id of the last request of an attempt to connect. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = sql.raw(isPostgres ? 'text collate "C"' : 'text')
  await sql`alter table connect_attempts add column provider_request_id ${text}`.execute(db)
}
