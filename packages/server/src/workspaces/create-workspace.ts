import { randomInt } from 'node:crypto'
import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../auth/caller.ts'
import { ApiError, fieldError, workspaceNotAccessible } from '../errors.ts'
import type { Database } from '../storage/database.ts'
import { newId } from '../storage/id.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { WorkspaceRow } from '../storage/tables.ts'
import type { Transaction } from '../storage/transaction.ts'
import type { Vault } from '../vault/vault.ts'
import { serializeWorkspaceSettings } from './serialize-workspace.ts'
import type { CreateWorkspace, WorkspaceSettings } from './workspace.ts'
import type { WorkspaceStore } from './workspace-store.ts'

export interface CreateWorkspaceDeps {
  readonly database: Database
  readonly vault: Vault
  readonly workspaces: WorkspaceStore
  readonly now: () => number
}

/**
 * Creates a workspace with its own data key (interface: Create workspace).
 *
 * @throws ApiError `already_exists` if the slug is taken
 */
export async function createWorkspace(
  deps: CreateWorkspaceDeps,
  caller: Caller,
  input: CreateWorkspace,
): Promise<WorkspaceSettings> {
  // A token bound to one workspace could not access the new one.
  if (caller.boundWorkspaceId !== null) throw workspaceNotAccessible()
  const row = newWorkspaceRow(caller.userId, input.slug ?? undefined, deps.now())
  await deps.database
    .transaction(async (trx) => {
      await insertWorkspace(trx, deps, row)
      await recordAudit(trx, caller, deps.now(), {
        action: 'workspace.created',
        workspaceId: row.workspace_id,
        subject: row.workspace_id,
      })
    })
    .catch(slugTaken)
  return serializeWorkspaceSettings(row)
}

/** A row for a new workspace of a user. */
export function newWorkspaceRow(
  userId: string,
  slug: string | undefined,
  now: number,
): WorkspaceRow {
  return {
    workspace_id: newId('wsp', now),
    user_id: userId,
    slug: slug ?? `workspace-${randomSuffix()}`,
    name: '',
    settings: '{}',
    initial_setup_complete: 1,
    anonymous_data_collection: 0,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  }
}

/** Inserts a workspace together with its data key, which it needs to store secrets. */
export async function insertWorkspace(
  trx: Transaction,
  deps: Pick<CreateWorkspaceDeps, 'vault' | 'workspaces'>,
  row: WorkspaceRow,
): Promise<void> {
  await deps.workspaces.insert(trx, row)
  await deps.vault.createWorkspaceKey(trx, row.workspace_id)
}

/** Maps a unique violation to `already_exists`; rethrows any other error. */
export function slugTaken(error: unknown): never {
  if (error instanceof StorageError && error.kind === 'unique')
    throw new ApiError('already_exists', 'You already have a workspace with this slug.', {
      errors: fieldError('slug', 'taken', 'Already taken.'),
    })
  throw error
}

function randomSuffix(): string {
  return randomInt(36 ** 6)
    .toString(36)
    .padStart(6, '0')
}
