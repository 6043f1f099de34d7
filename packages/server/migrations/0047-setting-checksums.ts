import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * Checksums of what decides who may do what, and where data and visitors go, by which a changed bit is found. In tables of
 * their own, because nodes of the previous version read all columns of these rows by prepared statements, which a new column ends.
 *
 * Each row has one; -2 if a writer that does not know checksums wrote the row: nothing then verifies it, and nothing refuses it.
 * A row without one has another key than it was written with.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const run = (statement: string) => sql.raw(statement).execute(db)
  if (!isPostgres) for (const table of ['tokens', 'links']) await dropColumn(db, table)
  for (const checked of TABLES) {
    const { table, key, storedIn } = checked
    await run(
      isPostgres
        ? `create table ${storedIn} (
            ${key} text collate "C" not null primary key,
            row_checksum bigint not null
          )`
        : `create table ${storedIn} (
            ${key} text not null primary key,
            row_checksum integer not null
          ) without rowid`,
    )
    // Before the rows are read: creating a trigger waits for the writers of the table.
    for (const statement of isPostgres ? onPostgres(checked) : onSqlite(checked))
      await run(statement)
    await run(`insert into ${storedIn} select ${key}, ${UNVERIFIED} from ${table}`)
  }
}

/** No CRC-32 is negative. */
const UNVERIFIED = -2

/**
 * An unreleased version had the checksums in columns. On PostgreSQL its nodes may still run: the columns and their triggers, which
 * clear them, stay.
 */
async function dropColumn(db: Kysely<unknown>, table: string): Promise<void> {
  const { rows } = await sql`
    select 1 from pragma_table_info(${table}) where name = 'row_checksum'`.execute(db)
  if (rows.length === 0) return
  await sql.raw(`drop trigger ${table}_clear_checksum`).execute(db)
  await sql.raw(`alter table ${table} drop column row_checksum`).execute(db)
}

export const minReader = '0044-data-key-numbers'

interface CheckedTable {
  readonly table: string
  readonly key: string
  readonly storedIn: string
  readonly columns: readonly string[]
}

const TABLES: readonly CheckedTable[] = [
  {
    table: 'users',
    key: 'user_id',
    storedIn: 'user_checksums',
    columns: ['email', 'email_key', 'firstname', 'lastname', 'created_at'],
  },
  {
    table: 'workspaces',
    key: 'workspace_id',
    storedIn: 'workspace_checksums',
    columns: [
      ...['user_id', 'slug', 'name', 'settings', 'initial_setup_complete'],
      ...['anonymous_data_collection', 'created_at'],
    ],
  },
  {
    table: 'tokens',
    key: 'token_id',
    storedIn: 'token_checksums',
    columns: [
      ...['token_hash', 'user_id', 'workspace_id', 'parent_token_id', 'scopes', 'origin'],
      ...['created_at', 'expires_at', 'reads_per_minute', 'writes_per_minute', 'account_ids'],
    ],
  },
  {
    table: 'links',
    key: 'link_id',
    storedIn: 'link_checksums',
    columns: [
      ...['workspace_id', 'name', 'can_expire', 'expires_in', 'expires_at', 'prefer_oauth'],
      ...['category', 'definition_id', 'definition_ids', 'max_accounts'],
      ...['max_accounts_per_identifier', 'allowed_origins', 'redirect_urls', 'created_at'],
      'sessions_only',
    ],
  },
  {
    table: 'webhook_endpoints',
    key: 'endpoint_id',
    storedIn: 'webhook_endpoint_checksums',
    columns: [
      ...['workspace_id', 'url', 'description', 'types', 'integration_definition_ids'],
      ...['payload', 'version', 'ordering', 'signature', 'max_in_flight', 'header_names'],
      ...['public_keys', 'created_at'],
    ],
  },
  {
    table: 'oauth_apps',
    key: 'oauth_app_id',
    storedIn: 'oauth_app_checksums',
    columns: [
      ...['workspace_id', 'definition_id', 'name', 'client_id', 'scopes', 'secret_origins'],
      ...['allowed_hosts', 'created_at'],
    ],
  },
  {
    table: 'connect_sessions',
    key: 'connect_session_id',
    storedIn: 'connect_session_checksums',
    columns: [
      ...['token_hash', 'workspace_id', 'link_id', 'mode', 'account_identifier', 'account_id'],
      ...['definition_ids', 'category', 'config_fields', 'tags', 'redirect_url', 'lang'],
      ...['max_accounts', 'account_ids', 'created_at', 'expires_at'],
    ],
  },
]

function onSqlite({ table, key, storedIn, columns }: CheckedTable): string[] {
  const isChanged = columns.map((column) => `new.${column} is not old.${column}`).join(' or ')
  return [
    `create trigger ${table}_checksum_insert after insert on ${table}
      begin
        insert or replace into ${storedIn} values (new.${key}, ${UNVERIFIED});
      end`,
    `create trigger ${table}_checksum_update after update of ${columns.join(', ')} on ${table}
      when ${isChanged}
      begin
        update ${storedIn} set row_checksum = ${UNVERIFIED} where ${key} = old.${key};
      end`,
    `create trigger ${table}_checksum_delete after delete on ${table}
      begin
        delete from ${storedIn} where ${key} = old.${key};
      end`,
  ]
}

function onPostgres({ table, key, storedIn, columns }: CheckedTable): string[] {
  const values = (row: string) => columns.map((column) => `${row}.${column}`).join(', ')
  return [
    `create function change_${storedIn}() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          insert into ${storedIn} values (new.${key}, ${UNVERIFIED})
            on conflict (${key}) do update set row_checksum = excluded.row_checksum;
        elsif tg_op = 'DELETE' then
          delete from ${storedIn} where ${key} = old.${key};
        else
          update ${storedIn} set row_checksum = ${UNVERIFIED} where ${key} = old.${key};
        end if;
        return null;
      end $$`,
    `create trigger ${table}_checksum_insert after insert or delete on ${table}
      for each row execute function change_${storedIn}()`,
    `create trigger ${table}_checksum_update after update of ${columns.join(', ')} on ${table}
      for each row when ((${values('new')}) is distinct from (${values('old')}))
      execute function change_${storedIn}()`,
  ]
}
