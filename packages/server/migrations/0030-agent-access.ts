import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** How far a customer restricts what agents do with an account. Nodes of 0001 go on: they reject the tokens of agents. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = isPostgres ? 'text collate "C"' : 'text'
  await sql.raw(`alter table accounts add column agent_access ${text}`).execute(db)
}
