import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** The tools of MCP servers, as they were accepted. Nodes of 0001 go on: they call none. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = isPostgres ? 'text collate "C"' : 'text'
  const integer = isPostgres ? 'bigint' : 'integer'
  const statements = [
    `create table mcp_tools (
      mcp_tool_id ${text} not null primary key,
      workspace_id ${text} not null,
      server_hash ${text} not null,
      name ${text} not null,
      sha256 ${text} not null,
      definition ${text} not null,
      changed_sha256 ${text},
      changed_at ${integer},
      accepted_at ${integer} not null,
      seen_at ${integer} not null
    )`,
    'create index mcp_tools_by_server on mcp_tools (workspace_id, server_hash, name)',
    'create index mcp_tools_by_use on mcp_tools (seen_at)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
