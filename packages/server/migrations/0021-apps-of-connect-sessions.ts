import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Which OAuth app a connect session uses, or that its customer enters one. Nodes of 0001 go on: their sessions name none. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const [text, flag] = isPostgres ? ['text collate "C"', 'bigint'] : ['text', 'integer']
  for (const column of [
    `oauth_app_id ${text}`,
    `require_customer_app ${flag} not null default 0`,
    `allowed_hosts ${text}`,
  ])
    await sql.raw(`alter table connect_sessions add column ${column}`).execute(db)
}
