import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * What the tokens of an account were requested for, where a server says who issues them. Nodes of 0001 go on: they do not know such
 * integrations.
 */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const columns = ['resource text', `discovered_at ${isPostgres ? 'bigint' : 'integer'}`]
  for (const column of columns)
    await sql.raw(`alter table account_tokens add column ${column}`).execute(db)
}
