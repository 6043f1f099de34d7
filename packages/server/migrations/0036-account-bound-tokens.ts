import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** The accounts that a token is bound to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = sql.raw(isPostgres ? 'text collate "C"' : 'text')
  await sql`alter table tokens add column account_ids ${text}`.execute(db)
}
