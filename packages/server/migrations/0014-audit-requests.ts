import type { SchemaIndex } from '../src/platform/storage/database.ts'

/** The entries of one request. Nodes of 0001 go on: no table changes. */
export const minReader = '0001-initial'

export const indexes: readonly SchemaIndex[] = [
  {
    name: 'audit_events_by_request_sequence',
    on: 'audit_events (workspace_id, request_id, sequence) where sequence is not null and request_id is not null',
  },
]

/** The index is all. */
export async function up(): Promise<void> {}
