import type { AccessScope } from '../auth/caller.ts'
import { workspaceNotAccessible } from '../errors.ts'
import type { WorkspaceStore } from './workspace-store.ts'

/**
 * Tells which workspace an operation works in: the one named, else the one that the token is bound to, else the
 * user's oldest (design section 4).
 *
 * @throws ApiError `workspace_not_accessible`, whether it exists or not
 */
export async function resolveWorkspace(
  workspaces: WorkspaceStore,
  accessScope: AccessScope,
  workspaceId: string | null | undefined,
): Promise<string> {
  const workspace =
    workspaceId == null
      ? await workspaces.oldest(accessScope)
      : await workspaces.find(accessScope, workspaceId)
  if (workspace === undefined) throw workspaceNotAccessible()
  return workspace.workspace_id
}

/**
 * For reads by id: a workspace that is named must be one that the caller reaches; left out it narrows nothing.
 *
 * @throws ApiError `workspace_not_accessible`
 */
export async function assertWorkspaceAccessible(
  workspaces: WorkspaceStore,
  accessScope: AccessScope,
  workspaceId: string | undefined,
): Promise<void> {
  if (workspaceId !== undefined) await resolveWorkspace(workspaces, accessScope, workspaceId)
}
