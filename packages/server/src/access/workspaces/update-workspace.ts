import Type from 'typebox'
import { notFound, validationFailed } from '../../platform/errors.ts'
import { IdOf } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { Caller } from '../auth/caller.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { createSlugTakenError } from './create-workspace.ts'
import { serializeWorkspaceSettings, UpdateWorkspace, WorkspaceSettings } from './schemas.ts'
import { validateFrameOrigins, validateRedirectUrls } from './validate-allowlists.ts'
import type { StoredSettings, Workspace, WorkspaceId } from './workspace.ts'
import type { WorkspaceStore, WorkspaceUpdate } from './workspace-store.ts'

export interface UpdateWorkspaceDeps {
  readonly database: Database
  readonly workspaces: WorkspaceStore
  readonly now: () => number
}

export const updateWorkspaceOperation = defineOperation({
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
}: UpdateWorkspace): void {
  const fieldErrors = {
    ...validateRedirectUrls('allowedRedirectURLs', allowedRedirectURLs ?? []),
    ...validateFrameOrigins('allowedFrameOrigins', allowedFrameOrigins ?? []),
  }
  if (Object.keys(fieldErrors).length > 0) throw validationFailed(fieldErrors)
}

function buildUpdate(workspace: Workspace, input: UpdateWorkspace, now: number): WorkspaceUpdate {
  const { slug, name, theme, allowedRedirectURLs, allowedFrameOrigins } = input
  const settings: StoredSettings = {
    ...workspace.settings,
    ...(theme == null ? {} : { theme }),
    ...(allowedRedirectURLs == null ? {} : { allowedRedirectURLs }),
    ...(allowedFrameOrigins == null ? {} : { allowedFrameOrigins }),
  }
  return {
    ...(slug == null ? {} : { slug }),
    ...(name == null ? {} : { name }),
    settings,
    updatedAt: now,
  }
}
