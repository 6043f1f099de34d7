import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * Data keys have a number, which sealed values name. While all values of a workspace get a new data key, the previous one is
 * kept beside it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const types = isPostgres
    ? { text: 'text collate "C"', integer: 'bigint', bytes: 'bytea' }
    : { text: 'text', integer: 'integer', bytes: 'blob' }
  for (const column of [
    `data_key ${types.integer} not null default 1`,
    `previous_key_id ${types.text}`,
    `previous_wrapped_key ${types.bytes}`,
  ])
    await sql.raw(`alter table workspace_keys add column ${column}`).execute(db)
  await sql`create index workspace_keys_unfinished on workspace_keys (workspace_id)
    where previous_key_id is not null`.execute(db)
}
