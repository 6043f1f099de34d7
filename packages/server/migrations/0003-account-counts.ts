import type { SchemaIndex } from '../src/platform/storage/database.ts'

/** The index of the counts of accounts by definition and status. Nodes of 0001 go on: no table changes. */
export const minReader = '0001-initial'

export const indexes: readonly SchemaIndex[] = [
  {
    name: 'accounts_live_by_definition_status',
    // With deleted_at, which is null everywhere, SQLite knows that it needs no row.
    on: 'accounts (workspace_id, definition_id, status, deleted_at) where deleted_at is null',
  },
]

/** The index is all. */
export async function up(): Promise<void> {}
