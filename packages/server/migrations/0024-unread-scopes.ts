import type { SchemaIndex } from '../src/platform/storage/database.ts'

/** The accounts whose scopes a background job has to read. Nodes of 0001 go on: no table changes. */
export const minReader = '0001-initial'

export const indexes: readonly SchemaIndex[] = [
  {
    name: 'account_tokens_without_source',
    on: 'account_tokens (account_id) where scope_source is null',
  },
]

/** The index is all. */
export async function up(): Promise<void> {}
