import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import {
  deleteIdempotencyKeys,
  deleteKeysOfErasedAccounts,
} from '../../platform/record/idempotency-retention-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import type { EraseStep } from './erase-step.ts'

/** Deletes the idempotency keys whose stored responses have what the accounts of the customer had. */
export const deleteAccountKeys: EraseStep = async (trx, { workspaceId }, cursor) => {
  const { userId } = await findOwner(trx, workspaceId)
  const next = await deleteKeysOfErasedAccounts(trx, { userId, workspaceId, after: Number(cursor) })
  return { counts: {}, next: next === undefined ? undefined : String(next) }
}

/** Deletes the idempotency keys of resources that named the customer. */
export async function deleteKeys(
  trx: Transaction,
  workspaceId: WorkspaceId,
  resources: readonly string[],
): Promise<void> {
  if (resources.length > 0)
    await deleteIdempotencyKeys(trx, await findOwner(trx, workspaceId), { resources })
}

/** The owner of a workspace, who has the idempotency keys of requests for it. */
async function findOwner(
  trx: Transaction,
  workspaceId: WorkspaceId,
): Promise<{ readonly userId: UserId }> {
  return trx
    .selectFrom('workspaces')
    .select('user_id as userId')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
}
