import type { SchemaIndex } from '../src/platform/storage/database.ts'

/** Indexes of the lists that the console filters. Nodes of 0001 go on: no table changes. */
export const minReader = '0001-initial'

export const indexes: readonly SchemaIndex[] = [
  {
    name: 'connect_attempts_by_account_id',
    on: 'connect_attempts (workspace_id, account_id, at, attempt_id) where account_id is not null',
  },
  {
    name: 'connect_attempts_by_outcome',
    on: 'connect_attempts (workspace_id, outcome, at, attempt_id)',
  },
  {
    name: 'connect_attempts_by_request_id',
    on: 'connect_attempts (workspace_id, request_id, at, attempt_id) where request_id is not null',
  },
  {
    name: 'connect_sessions_by_link_id',
    on: 'connect_sessions (workspace_id, link_id, created_at, connect_session_id) where link_id is not null',
  },
  {
    name: 'links_revoked_by_workspace',
    on: 'links (workspace_id, created_at, link_id) where revoked_at is not null',
  },
]

/** The indexes are all. */
export async function up(): Promise<void> {}
