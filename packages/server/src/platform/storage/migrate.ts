import type { Kysely } from 'kysely'
import * as initial from '../../../migrations/0001-initial.ts'
import { applyMigrations, createSchema } from './migrations/apply-migration.ts'
import { planMigrations } from './migrations/plan-migrations.ts'
import type { SchemaMigrations } from './migrations/schema-migration.ts'
import type { Tables } from './tables.ts'

/**
 * Brings the schema up to date. `db` must be inside a transaction that holds the migration lock, so that
 * a crash leaves the schema unchanged. Returns the names of the migrations that ran.
 * @throws {StorageVersionError} when the database has migrations that this code does not know, or half of an import
 */
export async function migrate(db: Kysely<Tables>): Promise<string[]> {
  const { isNew, pending } = await planMigrations(db, MIGRATIONS)
  const names = pending.map(({ name }) => name)
  await (isNew ? createSchema : applyMigrations)(db, MIGRATIONS, names)
  return names
}

/** Every migration, oldest first. Migrations never change: a change of the schema is another one. */
export const MIGRATIONS: SchemaMigrations = {
  '0001-initial': initial,
}

/** The names of the migrations of this version, in order. */
export function listMigrationNames(): string[] {
  return Object.keys(MIGRATIONS).sort()
}
