import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** Key pairs of this installation, shared by its nodes: the private part is sealed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer, bytes } =
    db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE
  await db.schema
    .createTable('instance_keys')
    .addColumn('name', text, (c) => c.primaryKey().notNull())
    .addColumn('public_key', text, (c) => c.notNull())
    .addColumn('sealed', bytes, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
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
