import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** The icons that workspaces set for definitions: their own, or those of the catalogue as they see them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = sql.raw(isPostgres ? 'text collate "C"' : 'text')
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const bytes = sql.raw(isPostgres ? 'bytea' : 'blob')
  await sql`create table definition_icons (
    definition_id ${text} not null references definitions (definition_id),
    workspace_id ${text} not null references workspaces (workspace_id),
    path ${text} not null,
    media_type ${text} not null,
    content ${bytes} not null,
    updated_at ${integer} not null,
    primary key (workspace_id, definition_id)
  )`.execute(db)
  await sql`create index definition_icons_by_path on definition_icons (path)`.execute(db)
}
