import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Whether the checks of a definition are paused, and whether its rejections count. Nodes of 0001 go on: they check nothing. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const id = isPostgres ? 'text collate "C"' : 'text'
  const integer = isPostgres ? 'bigint' : 'integer'
  const statements = [
    `create table definition_health (
      definition_id ${id} not null,
      workspace_id ${id} not null,
      suspect_since ${integer},
      suspects text not null default '[]',
      trusted_at ${integer},
      next_probe_at ${integer},
      next_check_at ${integer},
      paused_until ${integer},
      primary key (definition_id, workspace_id)
    )`,
    'create index definition_health_suspect on definition_health (definition_id, workspace_id) where suspect_since is not null',
    'create index definition_health_by_workspace on definition_health (workspace_id, definition_id)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
