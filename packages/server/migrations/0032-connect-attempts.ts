import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Attempts to connect an account and how they ended, one index for each filter of their list. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  // Collation "C" orders text by its bytes, as SQLite does.
  const text = isPostgres ? sql`text collate "C"` : sql`text`
  const integer = isPostgres ? sql`bigint` : sql`integer`
  await db.schema
    .createTable('connect_attempts')
    .addColumn('attempt_id', text, (c) => c.primaryKey().notNull())
    .addColumn('at', integer, (c) => c.notNull())
    .addColumn('workspace_id', text, (c) => c.notNull())
    .addColumn('definition_id', text)
    .addColumn('auth_type', text)
    .addColumn('via', text, (c) => c.notNull())
    .addColumn('outcome', text, (c) => c.notNull())
    .addColumn('code', text)
    .addColumn('provider_status', integer)
    .addColumn('request_id', text)
    .addColumn('account_id', text)
    .addColumn('link_id', text)
    .addColumn('connect_session_id', text)
    .addColumn('account_identifier', text)
    .execute()
  await sql`create index connect_attempts_by_time on connect_attempts (at)`.execute(db)
  await sql`create index connect_attempts_by_workspace on connect_attempts (workspace_id, at, attempt_id)`.execute(
    db,
  )
  await sql`create index connect_attempts_bounded on connect_attempts (workspace_id, at) where outcome <> 'connected'`.execute(
    db,
  )
  await sql`create index connect_attempts_bounded_by_link on connect_attempts (workspace_id, link_id, at) where outcome <> 'connected'`.execute(
    db,
  )
  for (const column of FILTERS)
    await sql`create index ${sql.ref(`connect_attempts_by_${column}`)} on connect_attempts (workspace_id, ${sql.ref(column)}, at, attempt_id) where ${sql.ref(column)} is not null`.execute(
      db,
    )
}

const FILTERS = ['definition_id', 'code', 'link_id', 'connect_session_id', 'account_identifier']
