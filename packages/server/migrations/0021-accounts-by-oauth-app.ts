import type { SchemaIndex } from '../src/platform/storage/database.ts'

/** The accounts of an OAuth app, in the order of lists, and those of unknown people. Nodes of 0001 go on: no table changes. */
export const minReader = '0001-initial'

export const indexes: readonly SchemaIndex[] = [
  {
    name: 'accounts_live_by_app',
    on: 'accounts (workspace_id, oauth_app_id, created_at, account_id) where deleted_at is null and oauth_app_id is not null',
  },
  {
    name: 'accounts_live_by_app_unidentified',
    on: 'accounts (oauth_app_id) where deleted_at is null and oauth_app_id is not null and identity_id is null',
  },
]

/** The indexes are all. */
export async function up(): Promise<void> {}
