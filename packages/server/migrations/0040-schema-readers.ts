import { type Kysely, sql } from 'kysely'

/**
 * The oldest schema whose nodes can use the database after a migration; null: none but those that have it. See
 * `minReader` of `SchemaMigration`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table kysely_migration add column min_reader varchar(255)`.execute(db)
}
