import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** Which check may use a refresh token that no account has yet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE
  await db.schema
    .createTable('token_leases')
    .addColumn('rotation_id', text, (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.workspace_id'))
    .addColumn('lease_owner', text, (c) => c.notNull())
    .addColumn('lease_until', integer, (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('token_leases_lease_until')
    .on('token_leases')
    .columns(['lease_until'])
    .execute()
}

interface Types {
  text: RawBuilder<unknown>
  integer: RawBuilder<unknown>
}

const SQLITE: Types = { text: sql`text`, integer: sql`integer` }
// Collation "C" orders text by its bytes, as SQLite does.
const POSTGRES: Types = { text: sql`text collate "C"`, integer: sql`bigint` }
