import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** The ids that imported links had elsewhere. Their URLs lead to the pages of the links. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = isPostgres ? sql`text collate "C"` : sql`text`
  const integer = isPostgres ? sql`bigint` : sql`integer`
  await db.schema
    .createTable('link_aliases')
    .addColumn('alias', text, (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', text, (c) => c.notNull())
    .addColumn('link_id', text, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .execute()
  await sql`create index link_aliases_by_link on link_aliases (link_id)`.execute(db)
}
