import type { Caller } from '../caller/caller.ts'
import type { WorkspaceSettings } from './workspace.ts'
import { toWorkspaceSettings } from './workspace-answer.ts'
import type { WorkspaceStore } from './workspace-store.ts'

/** The workspaces that the token reaches, oldest first. */
export async function listWorkspaces(
  deps: { readonly workspaces: WorkspaceStore },
  caller: Caller,
): Promise<WorkspaceSettings[]> {
  return (await deps.workspaces.list(caller)).map(toWorkspaceSettings)
}
