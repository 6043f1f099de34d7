import type { SchemaIndex } from '../src/platform/storage/database.ts'

/** The accounts of an OAuth app, in the order of lists. Nodes of 0001 go on: no table changes. */
export const minReader = '0001-initial'

export const indexes: readonly SchemaIndex[] = [
  {
    name: 'accounts_live_by_app',
    on: 'accounts (workspace_id, oauth_app_id, created_at, account_id) where deleted_at is null and oauth_app_id is not null',
  },
]

/** The index is all. */
export async function up(): Promise<void> {}
