import type { Caller } from '../auth/caller.ts'
import { serializeWorkspaceSettings, type WorkspaceSettings } from './schemas.ts'
import type { WorkspaceStore } from './workspace-store.ts'

/** The workspaces that the token can access, oldest first (interface: List workspaces). */
export async function listWorkspaces(
  deps: { readonly workspaces: WorkspaceStore },
  caller: Caller,
): Promise<WorkspaceSettings[]> {
  return (await deps.workspaces.list(caller)).map(serializeWorkspaceSettings)
}
