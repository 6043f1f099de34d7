import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { SchemaIndex } from '../src/platform/storage/database.ts'

/** What people's own MCP clients sign in with, and the workspaces where they can. Nodes of 0001 go on: they know no such clients. */
export const minReader = '0001-initial'

export const indexes: readonly SchemaIndex[] = [
  {
    name: 'workspaces_with_sign_in',
    on: `workspaces (workspace_id) where deleted_at is null and settings like '%"signInURL":%'`,
  },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = isPostgres ? 'text collate "C"' : 'text'
  const integer = isPostgres ? 'bigint' : 'integer'
  const bytes = isPostgres ? 'bytea' : 'blob'
  const statements = [
    `create table oauth_server_records (
      kind ${text} not null,
      id_hash ${bytes} not null,
      payload ${text} not null,
      agent_session_id ${text},
      consumed_at ${integer},
      uses ${integer} not null,
      expires_at ${integer} not null,
      primary key (kind, id_hash)
    )`,
    'create index oauth_server_records_by_session on oauth_server_records (agent_session_id) where agent_session_id is not null',
    'create index oauth_server_records_by_expiry on oauth_server_records (expires_at)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
