import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Connect sessions without a link, and the submissions of their pages. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  for (const table of ['connect_sessions', 'visit_attempts'])
    if (isPostgres)
      await db.schema
        .alterTable(table)
        .alterColumn('link_id', (c) => c.dropNotNull())
        .execute()
    else await replaceLinkId(db, table)
}

/** SQLite cannot make a column nullable: another one takes its place, and its indexes are created again. */
async function replaceLinkId(db: Kysely<unknown>, table: string): Promise<void> {
  const indexes = INDEXES.filter(([each]) => each === table)
  for (const [, name] of indexes) await db.schema.dropIndex(name).execute()
  await db.schema.alterTable(table).renameColumn('link_id', 'former_link_id').execute()
  await db.schema
    .alterTable(table)
    .addColumn('link_id', 'text', (c) => c.references('links.link_id'))
    .execute()
  await sql`update ${sql.table(table)} set link_id = former_link_id`.execute(db)
  await db.schema.alterTable(table).dropColumn('former_link_id').execute()
  for (const [, name, columns] of indexes)
    await db.schema.createIndex(name).on(table).columns(columns).execute()
}

const INDEXES: readonly [table: string, name: string, columns: string[]][] = [
  ['connect_sessions', 'connect_sessions_by_link', ['link_id']],
  ['visit_attempts', 'visit_attempts_visit_hash_link_id', ['visit_hash', 'link_id']],
  ['visit_attempts', 'visit_attempts_by_link', ['link_id']],
]
