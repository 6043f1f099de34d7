import { type Kysely, sql } from 'kysely'
import { StorageVersionError } from '../storage-error.ts'
import type { Tables } from '../tables.ts'
import type { MigrationTable } from './plan-migrations.ts'
import type { SchemaMigration, SchemaMigrations } from './schema-migration.ts'

/**
 * Runs every migration on an empty database, in a transaction.
 *
 * @throws {StorageVersionError} if tables of another program are in the way
 */
export async function createSchema(
  trx: Kysely<Tables>,
  migrations: SchemaMigrations,
  names: readonly string[],
): Promise<void> {
  try {
    await applyMigrations(trx, migrations, names)
  } catch (error) {
    if (!(error instanceof Error && error.message.endsWith(' already exists'))) throw error
    throw new StorageVersionError(
      `The database belongs to another program (${error.message}). Linchpin needs one of its own, which is empty at first.`,
      { cause: error },
    )
  }
}

/** Runs every one of these migrations. `trx` must be a transaction, so that all of them are applied, or none. */
export async function applyMigrations(
  trx: Kysely<Tables>,
  migrations: SchemaMigrations,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const migration = migrations[name]
    if (migration === undefined) continue
    for (const index of migration.indexes ?? [])
      await sql`create index ${sql.ref(index.name)} on ${sql.raw(index.on)}`.execute(trx)
    await applyMigration(trx, name, migration)
  }
}

/** Runs a migration without its indexes, and records that the database has it. */
export async function applyMigration(
  trx: Kysely<Tables>,
  name: string,
  migration: SchemaMigration,
): Promise<void> {
  await trx.schema
    .createTable('kysely_migration')
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .addColumn('min_reader', 'varchar(255)')
    .execute()
  await migration.up(trx)
  await trx
    .withTables<MigrationTable>()
    .insertInto('kysely_migration')
    .values({
      name,
      timestamp: new Date().toISOString(),
      min_reader: migration.minReader ?? null,
    })
    .execute()
}
