import Type from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { notFound } from '../../platform/errors.ts'
import type { ContinuedTasks } from '../../platform/http/continued-tasks.ts'
import { IdOf } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import { isId } from '../../platform/storage/id.ts'
import { getErasureLease } from './lease.ts'
import { type RunWorkspaceDeletionDeps, runWorkspaceDeletion } from './run-workspace-deletion.ts'
import { DeletedWorkspace, serializeDeletedWorkspace } from './schemas.ts'

export interface DeleteWorkspaceDeps extends RunWorkspaceDeletionDeps {
  readonly erasureTasks: ContinuedTasks
}

export const deleteWorkspaceOperation = defineOperation({
  id: 'deleteWorkspace',
  sdk: 'workspaces.delete',
  method: 'DELETE',
  path: '/v1/workspace/:workspaceId',
  tag: 'Erasure',
  summary: 'Delete a workspace and everything in it',
  description:
    'From now on, no request finds the workspace, and its tokens are revoked. Revokes the tokens of its accounts at their providers, erases its data and destroys its data key. Responds after at most 20 seconds; a longer deletion continues in the background.',
  scope: 'workspace:write',
  params: Type.Object({
    workspaceId: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
  }),
  response: DeletedWorkspace,
  returns: 'The deleted workspace.',
  errors: ['workspace_not_found'],
  audit: 'workspace.deleted',
  handle: (deps: DeleteWorkspaceDeps, caller, { params }) =>
    deleteWorkspace(deps, caller, params.workspaceId),
})

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
  const lease = getErasureLease(deps)
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
