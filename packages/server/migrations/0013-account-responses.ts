import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * The response of an account, stored beside it, and triggers that clear it when a statement changes a public column: the
 * previous version, which does not know the response, may update accounts while this one runs beside it. Rows are not
 * rewritten: the response of an account without one is serialized when it is read.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = isPostgres ? sql`text collate "C"` : sql`text`
  const integer = isPostgres ? sql`bigint` : sql`integer`
  await db.schema.alterTable('accounts').addColumn('response_schema', integer).execute()
  await db.schema.alterTable('accounts').addColumn('response_json', text).execute()
  for (const statement of isPostgres ? POSTGRES : SQLITE) await sql.raw(statement).execute(db)
}

const PUBLIC_COLUMNS = [
  'account_id',
  'workspace_id',
  'definition_id',
  'link_id',
  'name',
  'auth_type',
  'account_identifier',
  'public_config',
  'status',
  'status_reason',
  'created_at',
  'updated_at',
  'deleted_at',
].join(', ')

const SQLITE = [
  `create trigger accounts_clear_response after update of ${PUBLIC_COLUMNS} on accounts
    when old.response_json is not null and new.response_json is old.response_json
    begin
      update accounts set response_json = null, response_schema = null
        where account_id = new.account_id;
    end`,
  // A list of all accounts reads the responses from the index, which has them in the order of the list. With deleted_at,
  // which is null everywhere, SQLite knows that it needs no row, and prefers the index to that of all accounts.
  `create index accounts_live_responses
    on accounts
      (workspace_id, created_at, account_id, deleted_at, response_schema, response_json)
    where deleted_at is null`,
  'drop index accounts_live',
]

// Entries of an index are at most 2.7 kB long on PostgreSQL, so the index of live accounts does not change.
const POSTGRES = [
  `create function clear_account_response() returns trigger language plpgsql as $$
    begin
      new.response_json := null;
      new.response_schema := null;
      return new;
    end $$`,
  `create trigger accounts_clear_response before update of ${PUBLIC_COLUMNS} on accounts
    for each row
    when (old.response_json is not null and new.response_json is not distinct from old.response_json)
    execute function clear_account_response()`,
]
