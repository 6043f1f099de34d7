import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Which OAuth app a link uses. Nodes of 0001 go on: their links name none. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const [text, flag] = isPostgres ? ['text collate "C"', 'bigint'] : ['text', 'integer']
  await sql.raw(`alter table links add column oauth_app_id ${text}`).execute(db)
  await sql
    .raw(`alter table links add column require_customer_app ${flag} not null default 0`)
    .execute(db)
}
