import type { Migration } from 'kysely/migration'

/** A file of `packages/server/migrations`. Released migrations never change. See docs/maintenance.md for what one may do. */
export interface SchemaMigration extends Migration {
  /**
   * The last migration of the oldest version whose nodes work with the schema after this one: they may start during a rolling
   * upgrade. Absent: only nodes that know this migration start.
   */
  readonly minReader?: string
  /** Indexes to create before `up`, of columns of earlier migrations: on PostgreSQL with data, without blocking writes. */
  readonly indexes?: readonly SchemaIndex[]
}

/** An index that a migration creates. */
export interface SchemaIndex {
  readonly name: string
  /** What follows `on`: `accounts (status) where deleted_at is null`. */
  readonly on: string
}

/** Migrations by name; the names sort in the order in which they run. */
export type SchemaMigrations = Readonly<Record<string, SchemaMigration>>

/** A migration that a database does not have. */
export interface PendingMigration {
  readonly name: string
  readonly minReader: string | undefined
  readonly indexes: readonly string[]
}

/** Receives how a migration goes on. */
export interface MigrationListener {
  /** A migration is complete: its name. */
  readonly onApplied?: ((name: string) => void) | undefined
  /** What takes long on PostgreSQL: a wait, or an index, when it begins. */
  readonly onProgress?: ((text: string) => void) | undefined
}
