import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** The passkeys of people who sign in to the console. Nodes of 0001 go on: none of their tables changes. */
export const minReader = '0001-initial'

/** Of the sweep: sessions that have run out, and those that ended long ago. */
export const indexes = [
  {
    name: 'console_sessions_by_idle_end',
    on: 'console_sessions (idle_ends_at) where ended_at is null',
  },
  {
    name: 'console_sessions_ended',
    on: 'console_sessions (ended_at) where ended_at is not null',
  },
]

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
  `create table passkeys (
    passkey_id text not null primary key,
    credential_id text not null unique,
    user_id text not null references users (user_id),
    public_key blob not null,
    counter integer not null,
    transports text not null,
    name text not null,
    created_at integer not null,
    last_used_at integer
  )`,
  'create index passkeys_by_user on passkeys (user_id, created_at)',
]
