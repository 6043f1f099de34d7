import type { Caller } from '../../access/auth/caller.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { notFound } from '../../platform/errors.ts'
import type { ContinuedTasks } from '../../platform/http/continued-tasks.ts'
import { record } from '../../platform/record/record-store.ts'
import { isId } from '../../platform/storage/id.ts'
import { getLease } from './lease.ts'
import { type RunWorkspaceDeletionDeps, runWorkspaceDeletion } from './run-workspace-deletion.ts'
import { type DeletedWorkspace, serializeDeletedWorkspace } from './schemas.ts'

export interface DeleteWorkspaceDeps extends RunWorkspaceDeletionDeps {
  readonly erasureTasks: ContinuedTasks
}

/**
 * Deletes a workspace: no caller can find it from now on, and its tokens are revoked. Then the tokens of its accounts are revoked at
 * their providers, its data is erased and its data key destroyed, in the background if that takes long (docs/erasure.md).
 * It may be the last workspace of its user.
 *
 * @throws ApiError `workspace_not_found`
 */
export async function deleteWorkspace(
  deps: DeleteWorkspaceDeps,
  caller: Caller,
  workspaceId: WorkspaceId,
): Promise<DeletedWorkspace> {
  if (!isId('wsp', workspaceId)) throw notFound('workspace')
  const lease = getLease(deps)
  const isDeleted = await deps.database.transaction(async (trx) => {
    const isMarked = await deps.workspaceDeletions.markDeleted(trx, caller, workspaceId, lease)
    if (isMarked)
      await record(trx, caller, lease.now, {
        action: 'workspace.deleted',
        workspaceId,
        subject: workspaceId,
      })
    return isMarked
  })
  if (!isDeleted) throw notFound('workspace')
  const { signal } = deps.erasureTasks
  await deps.erasureTasks.waitAtMost(
    runWorkspaceDeletion(deps, workspaceId, signal, caller),
    RESPONSE_WAIT_MS,
  )
  const isRunning = await deps.workspaceDeletions.isRunning(workspaceId)
  return serializeDeletedWorkspace({ workspaceId, deletedAt: lease.now, isRunning })
}

/** How long a request waits. The deletion continues after it. */
const RESPONSE_WAIT_MS = 20_000
