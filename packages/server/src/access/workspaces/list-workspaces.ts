import type { Readable } from 'node:stream'
import { listInParts } from '../../platform/http/list-in-parts.ts'
import { ALL_ROWS, type CursorPosition } from '../../platform/http/pagination.ts'
import { listOf } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { TakeTurn } from '../../platform/http/turns.ts'
import type { Caller, WorkspaceAccess } from '../auth/caller.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { serializeWorkspaceSettings, WorkspaceSettings } from './schemas.ts'
import type { Workspace } from './workspace.ts'
import type { WorkspaceStore } from './workspace-store.ts'

export interface ListWorkspacesDeps {
  readonly workspaces: WorkspaceStore
  readonly takeTurn: TakeTurn
}

export const listWorkspacesOperation = defineOperation({
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
