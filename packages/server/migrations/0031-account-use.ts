import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Who is signed in to an account, and when the account was last used, for the customer's own list of connections. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = sql.raw(isPostgres ? 'text collate "C"' : 'text')
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  await sql`alter table accounts add column identity_label ${text}`.execute(db)
  await sql`alter table accounts add column last_used_at ${integer}`.execute(db)
}
