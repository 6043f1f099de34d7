import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** Tokens that integrations got in place of given ones which no account keeps yet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer, bytes } =
    db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE
  await db.schema
    .createTable('rotations')
    .addColumn('rotation_id', text, (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.workspace_id'))
    .addColumn('sealed', bytes, (c) => c.notNull())
    .addColumn('expires_at', integer, (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('rotations_expires_at')
    .on('rotations')
    .columns(['expires_at'])
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
