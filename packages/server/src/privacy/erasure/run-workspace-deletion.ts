import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import type { RefreshDeps } from '../../accounts/accounts/token-refresh/refresh-deps.ts'
import { revokeGrant } from '../../accounts/accounts/token-refresh/revocation/revoke-grant.ts'
import { type AuditActor, SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import { truncateLog } from './erased-bytes.ts'
import { getErasureLease } from './lease.ts'
import {
  DELETE_REMAINDER,
  DELETE_SESSIONS,
  type DeleteStep,
} from './workspace-deletion-steps-store.ts'
import type { WorkspaceDeletionStore } from './workspace-deletion-store.ts'

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
