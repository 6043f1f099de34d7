import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** The members of workspaces, and the sessions in which they use the console. Nodes of 0001 go on: none of their tables changes. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  for (const statement of isPostgres ? STATEMENTS.map(toPostgres) : STATEMENTS)
    await sql.raw(statement).execute(db)
}

function toPostgres(statement: string): string {
  return statement.replace(
    /^( +"?\w+"?) (text|integer|blob)\b/gm,
    (_, column, type) => `${column} ${TYPES[type]}`,
  )
}

const TYPES: Readonly<Record<string, string>> = {
  text: 'text collate "C"',
  integer: 'bigint',
  blob: 'bytea',
}

const STATEMENTS = [
  `create table members (
    member_id text not null primary key,
    workspace_id text not null references workspaces (workspace_id),
    user_id text references users (user_id),
    email text not null,
    email_key text not null,
    role text not null,
    extra_scopes text not null,
    token_id text references tokens (token_id),
    root_token_id text references tokens (token_id),
    invitation_hash blob,
    invited_until integer,
    created_at integer not null,
    updated_at integer not null,
    accepted_at integer,
    ended_at integer
  )`,
  'create unique index members_by_email on members (workspace_id, email_key) where ended_at is null',
  'create index members_by_user on members (user_id, workspace_id) where ended_at is null',
  `create table console_sessions (
    session_id text not null primary key,
    secret_hash blob not null unique,
    user_id text not null references users (user_id),
    workspace_id text not null references workspaces (workspace_id),
    method text not null,
    user_agent text,
    ip text,
    created_at integer not null,
    last_seen_at integer not null,
    idle_ends_at integer not null,
    ends_at integer not null,
    elevated_until integer,
    ended_at integer
  )`,
  'create index console_sessions_by_user on console_sessions (user_id) where ended_at is null',
  'create index console_sessions_by_end on console_sessions (ends_at)',
  `create table session_tokens (
    token_id text not null primary key references tokens (token_id),
    session_id text not null references console_sessions (session_id),
    user_id text not null references users (user_id)
  )`,
  'create index session_tokens_by_session on session_tokens (session_id)',
  `create table sign_in_claims (
    claim_hash blob not null primary key,
    kind text not null,
    user_id text references users (user_id),
    data text not null,
    created_at integer not null,
    expires_at integer not null,
    used_at integer
  )`,
  'create index sign_in_claims_by_expiry on sign_in_claims (expires_at)',
]
