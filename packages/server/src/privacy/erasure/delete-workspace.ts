import Type from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import type { RefreshDeps } from '../../accounts/accounts/token-refresh/refresh-deps.ts'
import { revokeGrant } from '../../accounts/accounts/token-refresh/revocation/revoke-grant.ts'
import { notFound } from '../../platform/errors.ts'
import type { ContinuedTasks } from '../../platform/http/drain.ts'
import { IdOf } from '../../platform/http/schema.ts'
import { type AuditActor, SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import { DeletedWorkspace, serializeDeletedWorkspace } from './erasure.ts'
import { getErasureLease, truncateLog } from './erasure-store.ts'
import {
  DELETE_REMAINDER,
  DELETE_SESSIONS,
  type DeleteStep,
  type WorkspaceDeletionStore,
} from './workspace-deletion-store.ts'

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

export interface RunWorkspaceDeletionDeps extends RefreshDeps {
  readonly workspaceDeletions: WorkspaceDeletionStore
  readonly now: () => number
}

/**
 * Erases the data of a deleted workspace in small transactions: revokes the tokens of its accounts and deletes them,
 * destroys the data key, and deletes everything else except the audit trail and the tombstones of tokens and definitions.
 * Running it again continues it, and once it has finished, erases what requests stored that were running then.
 */
export async function runWorkspaceDeletion(
  deps: RunWorkspaceDeletionDeps,
  workspaceId: WorkspaceId,
  signal: AbortSignal,
  actor: AuditActor = SYSTEM_ACTOR,
): Promise<void> {
  const transact = <T>(work: (trx: Transaction) => Promise<T>) => {
    signal.throwIfAborted()
    return deps.database.transaction(async (trx) => {
      const { aliveUntil } = getErasureLease(deps)
      await deps.workspaceDeletions.extendLease(trx, workspaceId, aliveUntil)
      return work(trx)
    })
  }
  const runSteps = async (steps: readonly DeleteStep[]) => {
    for (const step of steps) while ((await transact((trx) => step(trx, workspaceId))) > 0);
  }
  const deleteAccounts = async (
    trx: Transaction,
    ids: readonly AccountId[],
    revocations: Revocations,
  ) => {
    for (const subject of await deps.workspaceDeletions.deleteAccounts(trx, workspaceId, ids))
      await record(trx, actor, deps.now(), {
        action: 'account.deleted',
        workspaceId,
        subject,
        detail: { revocation: revocations.get(subject) ?? null },
      })
  }
  await runSteps(DELETE_SESSIONS)
  while (true) {
    const ids = await deps.workspaceDeletions.listLiveAccounts(workspaceId, BATCH)
    if (ids.length === 0) break
    const revocations = await revokeGrants(deps, ids)
    for (let at = 0; at < ids.length; at += TRANSACTION_SIZE) {
      const some = ids.slice(at, at + TRANSACTION_SIZE)
      await transact((trx) => deleteAccounts(trx, some, revocations))
    }
  }
  await transact((trx) => deps.vault.destroyWorkspaceKey(trx, workspaceId))
  await runSteps(DELETE_REMAINDER)
  await truncateLog(deps.database, signal)
  await transact(async (trx) => {
    const now = deps.now()
    const pass = { now, secondPassAt: now + SECOND_PASS_MS }
    if (!(await deps.workspaceDeletions.finishPass(trx, workspaceId, pass))) return
    await record(trx, actor, now, {
      action: 'workspace.erased',
      workspaceId,
      subject: workspaceId,
    })
  })
}

/** Longer than any request takes that may have resolved the workspace before it was deleted. */
const SECOND_PASS_MS = 10 * 60_000
/** Accounts whose tokens are revoked at the same time. */
const BATCH = 16
/** On SQLite, requests wait while a transaction runs. */
const TRANSACTION_SIZE = 4

type Revocations = Awaited<ReturnType<typeof revokeGrants>>

async function revokeGrants(deps: RefreshDeps, ids: readonly AccountId[]) {
  const outcomes = await Promise.all(
    ids.map(async (id) => [id, await revokeGrant(deps, id, { evenIfShared: false })] as const),
  )
  return new Map(outcomes)
}
