import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** What agents may do with accounts, and the scope for it in the tokens of owners. Nodes of 0001 go on: they reject the tokens of agents. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = isPostgres ? 'text collate "C"' : 'text'
  const integer = isPostgres ? 'bigint' : 'integer'
  const statements = [
    `create table agent_sessions (
      agent_session_id ${text} not null primary key,
      workspace_id ${text} not null,
      token_id ${text} not null unique,
      account_identifier ${text},
      rules ${text} not null,
      calls_per_minute ${integer} not null,
      max_calls ${integer} not null,
      max_writes ${integer} not null,
      max_bytes ${integer} not null,
      calls ${integer} not null,
      writes ${integer} not null,
      minute ${integer} not null,
      minute_calls ${integer} not null,
      created_at ${integer} not null,
      expires_at ${integer} not null
    )`,
    `update tokens set scopes = scopes || ' agents'
      where origin in ('owner', 'environment') and revoked_at is null`,
    'create index agent_sessions_by_workspace on agent_sessions (workspace_id, created_at, agent_session_id)',
    'create index agent_sessions_by_expiry on agent_sessions (workspace_id, expires_at)',
    'create index agent_sessions_by_identifier on agent_sessions (workspace_id, account_identifier, agent_session_id) where account_identifier is not null',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
