import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * Checksums of the versions of definitions, by which a changed bit is found. A statement of a writer that does not know them
 * removes them: nothing then verifies the row, and nothing refuses it.
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

const VERSION = ['definition_id', 'version', 'source_url', 'bundle_sha256', 'spec']

const TABLES = [
  { table: 'definitions', key: ['definition_id'], columns: VERSION },
  { table: 'definition_pins', key: ['definition_id', 'workspace_id'], columns: VERSION },
  { table: 'kept_versions', key: ['definition_id', 'workspace_id', 'position'], columns: VERSION },
]

function onSqlite(table: string, key: readonly string[], columns: readonly string[]): string {
  const isChanged = columns.map((column) => `new.${column} is not old.${column}`).join(' or ')
  const isSame = key.map((column) => `${column} = new.${column}`).join(' and ')
  return `create trigger ${table}_clear_checksum after update of ${columns.join(', ')} on ${table}
    when old.row_checksum is not null and new.row_checksum is old.row_checksum and (${isChanged})
    begin
      update ${table} set row_checksum = null where ${isSame};
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
