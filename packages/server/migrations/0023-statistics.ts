import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** What was counted per hour and day. Nodes of 0001 go on: none of their tables changes. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = isPostgres ? 'text collate "C"' : 'text'
  const integer = isPostgres ? 'bigint' : 'integer'
  const statements = [
    // Without foreign keys: what a node has counted when a workspace is deleted must not fail the others' rows.
    `create table statistics (
      workspace_id ${text} not null,
      step ${text} not null,
      definition_id ${text} not null,
      code ${text} not null,
      metric ${text} not null,
      bucket ${integer} not null,
      count ${integer} not null,
      sum ${integer} not null,
      primary key (workspace_id, step, definition_id, code, metric, bucket)
    )${isPostgres ? '' : ' without rowid'}`,
    'create index statistics_by_age on statistics (step, bucket)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
