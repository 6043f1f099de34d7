import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Removes the checksums of rows and the table of drains. Nodes of earlier versions cannot run beside it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  for (const statement of isPostgres ? POSTGRES : SQLITE) await sql.raw(statement).execute(db)
}

/** The tables whose checksums were in tables of their own. */
const CHECKED = [
  ...['users', 'workspaces', 'tokens', 'links', 'webhook_endpoints', 'oauth_apps'],
  'connect_sessions',
]
const toChecksums = (table: string) => `${table.slice(0, -1)}_checksums`

/** The tables that had them in a column. */
const VERSIONS = ['definitions', 'definition_pins', 'kept_versions']

const BOTH = [
  ...CHECKED.map((table) => `drop table ${toChecksums(table)}`),
  'drop table drains',
  // The version of the response, without the checksum that was packed into the same number.
  'update accounts set response_schema = response_schema % 16 where response_schema >= 16',
]

const SQLITE = [
  ...CHECKED.flatMap((table) =>
    ['insert', 'update', 'delete'].map((event) => `drop trigger ${table}_checksum_${event}`),
  ),
  ...VERSIONS.flatMap((table) => [
    `drop trigger ${table}_clear_checksum`,
    `alter table ${table} drop column row_checksum`,
  ]),
  ...BOTH,
]

const POSTGRES = [
  // With their triggers.
  ...CHECKED.map((table) => `drop function change_${toChecksums(table)}() cascade`),
  'drop function clear_row_checksum() cascade',
  // Between two releases, tokens and links had the column, too.
  ...[...VERSIONS, 'tokens', 'links'].map(
    (table) => `alter table ${table} drop column if exists row_checksum`,
  ),
  ...BOTH,
]
