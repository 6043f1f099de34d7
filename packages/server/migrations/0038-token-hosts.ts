import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** The host of an account's token endpoint, so that the background refresh can pass over a host that does not respond. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = sql.raw(isPostgres ? 'text collate "C"' : 'text')
  await sql`alter table account_tokens add column token_host ${text}`.execute(db)
}
