import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * Checksums of the settings of webhook endpoints and OAuth apps, and of connect sessions, by which a
 * changed bit is found. Not of users and workspaces: nodes of the previous version read all columns of both with each request, by a prepared
 * statement that a new column breaks once on each connection. A statement of a writer that does not know them removes them, as in 0045.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const integer = isPostgres ? sql`bigint` : sql`integer`
  for (const { table, key, columns } of TABLES) {
    await sql`alter table ${sql.table(table)} add column row_checksum ${integer}`.execute(db)
    const trigger = isPostgres ? onPostgres(table, columns) : onSqlite(table, key, columns)
    await sql.raw(trigger).execute(db)
  }
}

export const minReader = '0044-data-key-numbers'

const TABLES = [
  {
    table: 'webhook_endpoints',
    key: 'endpoint_id',
    columns: [
      ...['endpoint_id', 'workspace_id', 'url', 'description', 'types'],
      ...['integration_definition_ids', 'payload', 'version', 'ordering', 'signature'],
      ...['max_in_flight', 'header_names', 'public_keys', 'created_at'],
    ],
  },
  {
    table: 'oauth_apps',
    key: 'oauth_app_id',
    columns: [
      ...['oauth_app_id', 'workspace_id', 'definition_id', 'name', 'client_id', 'scopes'],
      ...['secret_origins', 'allowed_hosts', 'created_at'],
    ],
  },
  {
    table: 'connect_sessions',
    key: 'connect_session_id',
    columns: [
      ...['connect_session_id', 'token_hash', 'workspace_id', 'link_id', 'mode'],
      ...['account_identifier', 'account_id', 'definition_ids', 'category', 'config_fields'],
      ...['tags', 'redirect_url', 'lang', 'max_accounts', 'account_ids', 'created_at'],
      'expires_at',
    ],
  },
]

function onSqlite(table: string, key: string, columns: readonly string[]): string {
  const isChanged = columns.map((column) => `new.${column} is not old.${column}`).join(' or ')
  return `create trigger ${table}_clear_checksum after update of ${columns.join(', ')} on ${table}
    when old.row_checksum is not null and new.row_checksum is old.row_checksum and (${isChanged})
    begin
      update ${table} set row_checksum = null where ${key} = new.${key};
    end`
}

function onPostgres(table: string, columns: readonly string[]): string {
  const values = (row: string) => columns.map((column) => `${row}.${column}`).join(', ')
  return `create trigger ${table}_clear_checksum before update of ${columns.join(', ')} on ${table}
    for each row
    when (old.row_checksum is not null and new.row_checksum is not distinct from old.row_checksum
      and (${values('new')}) is distinct from (${values('old')}))
    execute function clear_row_checksum()`
}
