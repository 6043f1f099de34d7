import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** When a request for an account last failed, and debug windows. Nodes of 0001 go on: they name the columns that they read. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = isPostgres ? 'text collate "C"' : 'text'
  const integer = isPostgres ? 'bigint' : 'integer'
  const bytes = isPostgres ? 'bytea' : 'blob'
  const statements = [
    `alter table accounts add column last_error_at ${integer}`,
    'alter table accounts add column last_error_code text',
    `create table debug_windows (
      account_id ${text} not null primary key,
      workspace_id ${text} not null,
      opened_at ${integer} not null,
      ends_at ${integer} not null,
      exchanges ${integer} not null
    )`,
    'create index debug_windows_by_end on debug_windows (ends_at)',
    'create index debug_windows_by_workspace on debug_windows (workspace_id)',
    // Without foreign keys: what a node has collected when an account is deleted must not fail the others' rows.
    `create table debug_exchanges (
      request_log_id ${text} not null primary key,
      at ${integer} not null,
      workspace_id ${text} not null,
      account_id ${text} not null,
      sealed ${bytes} not null
    )`,
    'create index debug_exchanges_by_time on debug_exchanges (at)',
    'create index debug_exchanges_by_account on debug_exchanges (workspace_id, account_id)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
