import type { SchemaIndex } from '../src/platform/storage/database.ts'

/** The open sessions that products have created, which a workspace may have 1,000 of. Nodes of 0001 go on: no table changes. */
export const minReader = '0001-initial'

export const indexes: readonly SchemaIndex[] = [
  {
    name: 'agent_sessions_with_token',
    on: 'agent_sessions (workspace_id, expires_at) where client_id is null',
  },
]

/** The index is all. */
export async function up(): Promise<void> {}
