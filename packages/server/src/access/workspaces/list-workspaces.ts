import type { Readable } from 'node:stream'
import { listInParts } from '../../platform/http/list-in-parts.ts'
import { ALL_ROWS, type CursorPosition } from '../../platform/http/pagination.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { TakeTurn } from '../../platform/http/turns.ts'
import type { Caller, WorkspaceAccess } from '../auth/caller.ts'
import { serializeWorkspaceSettings, WorkspaceSettings } from './schemas.ts'
import type { Workspace } from './workspace.ts'
import type { WorkspaceStore } from './workspace-store.ts'

export interface ListWorkspacesDeps {
  readonly workspaces: WorkspaceStore
  readonly takeTurn: TakeTurn
}

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
