import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** When a request for an account last failed. Nodes of 0001 go on: they name the columns that they read. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const integer = isPostgres ? 'bigint' : 'integer'
  const statements = [
    `alter table accounts add column last_error_at ${integer}`,
    'alter table accounts add column last_error_code text',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
