import { randomInt } from 'node:crypto'
import { ApiError, fieldError, workspaceNotAccessible } from '../../platform/errors.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { type Id, newId } from '../../platform/storage/id.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { Caller } from '../auth/caller.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { CreateWorkspace, serializeWorkspaceSettings, WorkspaceSettings } from './schemas.ts'
import type { Workspace } from './workspace.ts'
import type { WorkspaceStore } from './workspace-store.ts'

export interface CreateWorkspaceDeps {
  readonly database: Database
  readonly vault: Vault
  readonly workspaces: WorkspaceStore
  readonly now: () => number
}

export const createWorkspaceOperation = defineOperation({
  id: 'createWorkspace',
  sdk: 'workspaces.create',
  method: 'POST',
  path: '/v1/workspace',
  tag: 'Workspaces',
  summary: 'Create a workspace',
  description:
    'The workspace belongs to the user of this token. A token that is bound to a workspace cannot create another one.',
  scope: 'workspace:write',
  body: CreateWorkspace,
  status: 201,
  response: WorkspaceSettings,
  returns: 'The workspace.',
  errors: ['already_exists'],
  audit: 'workspace.created',
  config: { optionalBody: true },
  handle: (deps: CreateWorkspaceDeps, caller, { body }) => createWorkspace(deps, caller, body),
})

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
  const workspace = createWorkspaceRecord(caller.userId, input.slug ?? undefined, deps.now())
  const response = serializeWorkspaceSettings(workspace)
  await deps.database
    .transaction(async (trx) => {
      await insertWorkspace(trx, deps, workspace)
      await record(trx, caller, deps.now(), {
        action: 'workspace.created',
        workspaceId: workspace.workspaceId,
        subject: workspace.workspaceId,
        response,
      })
    })
    .catch(createSlugTakenError)
  return response
}

/** A new workspace of a user, to be stored. */
export function createWorkspaceRecord(
  userId: Id<'usr'>,
  slug: string | undefined,
  now: number,
): Workspace {
  return {
    workspaceId: newId('wsp', now),
    userId,
    slug: slug ?? `workspace-${generateSuffix()}`,
    name: '',
    settings: {},
    initialSetupComplete: true,
    anonymousDataCollection: false,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  }
}

/** Inserts a workspace together with its data key, which it needs to store secrets. */
export async function insertWorkspace(
  trx: Transaction,
  deps: Pick<CreateWorkspaceDeps, 'vault' | 'workspaces'>,
  workspace: Workspace,
): Promise<void> {
  await deps.workspaces.insert(trx, workspace)
  await deps.vault.createWorkspaceKey(trx, workspace.workspaceId)
}

/** Maps a unique violation to `already_exists`; rethrows any other error. */
export function createSlugTakenError(error: unknown): never {
  if (error instanceof StorageError && error.kind === 'unique')
    throw new ApiError('already_exists', 'You already have a workspace with this slug.', {
      errors: fieldError('slug', 'taken', 'Already taken.'),
    })
  throw error
}

function generateSuffix(): string {
  return randomInt(36 ** 6)
    .toString(36)
    .padStart(6, '0')
}
