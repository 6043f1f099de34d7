import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** Sessions in which one customer connects accounts, and the session of each submission of the connect page. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const types = isPostgres ? POSTGRES : SQLITE
  await createConnectSessions(db, types)
  await sql`create index connect_sessions_by_workspace on connect_sessions (workspace_id, created_at, connect_session_id)`.execute(
    db,
  )
  await sql`create index connect_sessions_by_identifier on connect_sessions (workspace_id, account_identifier, created_at, connect_session_id)`.execute(
    db,
  )
  await sql`create index connect_sessions_open on connect_sessions (workspace_id, expires_at) where is_open = 1`.execute(
    db,
  )
  await sql`create index connect_sessions_expiring on connect_sessions (expires_at) where is_open = 1`.execute(
    db,
  )
  await sql`create index connect_sessions_ended on connect_sessions (expires_at) where is_open = 0`.execute(
    db,
  )
  await sql`create index connect_sessions_by_id on connect_sessions (workspace_id, connect_session_id)`.execute(
    db,
  )
  await sql`create index connect_sessions_by_link on connect_sessions (link_id)`.execute(db)
  await db.schema.alterTable('visit_attempts').addColumn('connect_session_id', types.text).execute()
  await db.schema
    .alterTable('links')
    .addColumn('sessions_only', types.integer, (c) => c.notNull().defaultTo(0))
    .execute()
}

interface Types {
  text: RawBuilder<unknown>
  integer: RawBuilder<unknown>
  bytes: RawBuilder<unknown>
}

const SQLITE: Types = { text: sql`text`, integer: sql`integer`, bytes: sql`blob` }
// Collation "C" orders text by its bytes, as SQLite does.
const POSTGRES: Types = { text: sql`text collate "C"`, integer: sql`bigint`, bytes: sql`bytea` }

async function createConnectSessions(
  db: Kysely<unknown>,
  { text, integer, bytes }: Types,
): Promise<void> {
  await db.schema
    .createTable('connect_sessions')
    .addColumn('connect_session_id', text, (c) => c.primaryKey().notNull())
    .addColumn('token_hash', bytes, (c) => c.notNull().unique())
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.workspace_id'))
    .addColumn('link_id', text, (c) => c.notNull().references('links.link_id'))
    .addColumn('mode', text, (c) => c.notNull())
    .addColumn('account_identifier', text)
    .addColumn('account_id', text)
    .addColumn('definition_ids', text, (c) => c.notNull())
    .addColumn('category', text, (c) => c.notNull())
    .addColumn('config_fields', text, (c) => c.notNull())
    .addColumn('sealed_config', bytes)
    .addColumn('redirect_url', text)
    .addColumn('lang', text)
    .addColumn('max_accounts', integer, (c) => c.notNull())
    .addColumn('browser_hash', bytes)
    .addColumn('is_open', integer, (c) => c.notNull())
    .addColumn('account_ids', text, (c) => c.notNull())
    .addColumn('last_code', text)
    .addColumn('last_code_at', integer)
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('updated_at', integer, (c) => c.notNull())
    .addColumn('expires_at', integer, (c) => c.notNull())
    .addColumn('opened_at', integer)
    .addColumn('completed_at', integer)
    .addColumn('revoked_at', integer)
    .execute()
}
