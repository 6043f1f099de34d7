import { workspaceNotAccessible } from '../../platform/errors.ts'
import type { Caller, WorkspaceAccess } from '../auth/caller.ts'
import type { WorkspaceId } from './workspace.ts'
import type { WorkspaceStore } from './workspace-store.ts'

/**
 * Resolves the workspace of an operation: the requested one, otherwise the one that the token is bound to, otherwise
 * the user's oldest. The log line of the request names it.
 *
 * @throws ApiError `workspace_not_accessible`, whether the workspace exists or not
 */
export async function resolveWorkspace(
  workspaces: WorkspaceStore,
  access: WorkspaceAccess & Pick<Caller, 'addLogFields'>,
  workspaceId: WorkspaceId | null | undefined,
): Promise<WorkspaceId> {
  const workspace =
    workspaceId == null
      ? await workspaces.oldest(access)
      : await workspaces.find(access, workspaceId)
  if (workspace === undefined) throw workspaceNotAccessible()
  access.addLogFields?.({ workspaceId: workspace.workspaceId })
  return workspace.workspaceId
}

/**
 * Throws if a requested workspace is not accessible to the caller. For reads by id, where `undefined` does not
 * restrict the result.
 *
 * @throws ApiError `workspace_not_accessible`
 */
export async function assertWorkspaceAccessible(
  workspaces: WorkspaceStore,
  access: WorkspaceAccess,
  workspaceId: WorkspaceId | undefined,
): Promise<void> {
  if (workspaceId !== undefined) await resolveWorkspace(workspaces, access, workspaceId)
}
