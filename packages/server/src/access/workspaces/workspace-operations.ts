import { randomInt } from 'node:crypto'
import type { Readable } from 'node:stream'
import Type from 'typebox'
import {
  ApiError,
  fieldError,
  notFound,
  validationFailed,
  workspaceNotAccessible,
} from '../../platform/errors.ts'
import {
  ALL_ROWS,
  type CursorPosition,
  listInParts,
  type TakeTurn,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { type Id, isId, newId } from '../../platform/storage/id.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { Caller, WorkspaceAccess } from '../auth/caller.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { assertRules } from './agent-rules.ts'
import {
  validateFrameOrigins,
  validateRedirectUrls,
  validateSignInUrl,
} from './validate-allowlists.ts'
import {
  CreateWorkspace,
  type StoredSettings,
  serializeWorkspaceSettings,
  UpdateWorkspace,
  type Workspace,
  type WorkspaceId,
  WorkspaceSettings,
} from './workspace.ts'
import type { WorkspaceStore, WorkspaceUpdate } from './workspace-store.ts'

export interface CreateWorkspaceDeps {
  readonly database: Database
  readonly vault: Vault
  readonly workspaces: WorkspaceStore
  readonly now: () => number
}

const createWorkspaceOperation = defineOperation({
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
function createSlugTakenError(error: unknown): never {
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

export interface ListWorkspacesDeps {
  readonly workspaces: WorkspaceStore
  readonly takeTurn: TakeTurn
}

const listWorkspacesOperation = defineOperation({
  id: 'listWorkspaces',
  sdk: 'workspaces.list',
  method: 'GET',
  path: '/v1/workspace',
  tag: 'Workspaces',
  summary: 'List the workspaces that the token can access',
  description: 'Returns the workspaces with their settings, oldest first.',
  scope: 'read',
  response: listOf(WorkspaceSettings),
  returns: 'The workspaces, oldest first.',
  errors: [],
  handle: (deps: ListWorkspacesDeps, caller) => listWorkspaces(deps, caller),
})

/** The workspaces that the token can access, oldest first (interface: List workspaces), as JSON. */
export async function listWorkspaces(
  deps: ListWorkspacesDeps,
  access: WorkspaceAccess & Pick<Caller, 'reauthenticate'>,
  stringify = stringifySettings,
  frame?: readonly [string, string],
): Promise<string | Readable> {
  const source = {
    read: (page: { limit: number; after: CursorPosition | undefined }) =>
      deps.workspaces.list(access, page),
    positionOf: ({ createdAt, workspaceId }: Workspace) => ({ createdAt, id: workspaceId }),
    serialize: (workspaces: readonly Workspace[]) => workspaces.map(stringify),
  }
  const { json } = await listInParts(source, ALL_ROWS, {
    takeTurn: deps.takeTurn,
    reauthenticate: access.reauthenticate,
    ...(frame === undefined ? {} : { frame }),
  })
  return json
}

const serialize = createSerializer(WorkspaceSettings)
const stringifySettings = (workspace: Workspace) => serialize(serializeWorkspaceSettings(workspace))

export interface UpdateWorkspaceDeps {
  readonly database: Database
  readonly workspaces: WorkspaceStore
  readonly now: () => number
}

const updateWorkspaceOperation = defineOperation({
  id: 'updateWorkspace',
  sdk: 'workspaces.update',
  method: 'POST',
  path: '/v1/workspace/:workspaceId',
  tag: 'Workspaces',
  summary: 'Change the settings of a workspace',
  description:
    'Changes the settings in the request and leaves the others unchanged. Lists and the theme are replaced as a whole.',
  scope: 'workspace:write',
  params: Type.Object({
    workspaceId: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
  }),
  body: UpdateWorkspace,
  response: WorkspaceSettings,
  returns: 'The workspace.',
  errors: ['workspace_not_found', 'already_exists'],
  audit: 'workspace.updated',
  handle: (deps: UpdateWorkspaceDeps, caller, { params, body }) =>
    updateWorkspace(deps, caller, params.workspaceId, body),
})

/**
 * Changes the settings in the request and leaves the others unchanged (interface: Update workspace).
 *
 * @throws ApiError `validation_failed`, `workspace_not_found`, `already_exists`
 */
export async function updateWorkspace(
  deps: UpdateWorkspaceDeps,
  caller: Caller,
  workspaceId: WorkspaceId,
  input: UpdateWorkspace,
): Promise<WorkspaceSettings> {
  assertValidAllowlists(input)
  const workspace = isId('wsp', workspaceId)
    ? await deps.workspaces.find(caller, workspaceId)
    : undefined
  if (workspace === undefined) throw notFound('workspace')
  const update = buildUpdate(workspace, input, deps.now())
  return deps.database
    .transaction(async (trx) => {
      const updated = await deps.workspaces.update(trx, caller, workspaceId, update)
      if (updated === undefined) throw notFound('workspace')
      const response = serializeWorkspaceSettings(updated)
      await record(trx, caller, update.updatedAt, {
        action: 'workspace.updated',
        workspaceId,
        subject: workspaceId,
        detail: { fields: Object.keys(input) },
        response,
      })
      return response
    })
    .catch(createSlugTakenError)
}

/** Rejects entries that could never match. */
function assertValidAllowlists({
  allowedRedirectURLs,
  allowedFrameOrigins,
  agents,
}: UpdateWorkspace): void {
  const fieldErrors = {
    ...validateRedirectUrls('allowedRedirectURLs', allowedRedirectURLs ?? []),
    ...validateFrameOrigins('allowedFrameOrigins', allowedFrameOrigins ?? []),
    ...validateSignInUrl('agents.signInURL', agents?.signInURL),
  }
  if (Object.keys(fieldErrors).length > 0) throw validationFailed(fieldErrors)
  assertRules(agents?.rules ?? [], 'agents.rules')
}

function buildUpdate(workspace: Workspace, input: UpdateWorkspace, now: number): WorkspaceUpdate {
  const { slug, name, theme, allowedRedirectURLs, allowedFrameOrigins, agents } = input
  const settings: StoredSettings = {
    ...workspace.settings,
    ...(theme == null ? {} : { theme }),
    ...(allowedRedirectURLs == null ? {} : { allowedRedirectURLs }),
    ...(allowedFrameOrigins == null ? {} : { allowedFrameOrigins }),
    ...(agents == null ? {} : { agents }),
  }
  return {
    ...(slug == null ? {} : { slug }),
    ...(name == null ? {} : { name }),
    settings,
    updatedAt: now,
  }
}

export const WORKSPACE_OPERATIONS = [
  createWorkspaceOperation,
  listWorkspacesOperation,
  updateWorkspaceOperation,
]
