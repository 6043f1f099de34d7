import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { type Cause, MAX_ACCOUNT_CHANGES } from '../../platform/record/change.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { AccountId } from './account.ts'

/** What happened to an account, and its status since then. */
export interface AccountHistoryEntry {
  /** Epoch milliseconds. */
  readonly at: number
  /** The action of the audit trail, such as `account.updated`. */
  readonly action: string
  readonly status: string
  readonly statusReason: string | null
  readonly cause: Cause
}

/** The last changes of an account, newest first. */
export async function listAccountChanges(
  { read }: Pick<Database, 'read'>,
  access: WorkspaceAccess,
  { workspaceId, accountId }: { workspaceId: WorkspaceId; accountId: AccountId },
): Promise<AccountHistoryEntry[]> {
  const rows = await read
    .selectFrom('account_changes')
    .select(['at', 'action', 'status', 'reason', 'cause'])
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', accountId)
    .where(isInAccessibleWorkspace(access, 'account_changes'))
    .orderBy('change_id', 'desc')
    .limit(MAX_ACCOUNT_CHANGES)
    .execute()
  return rows.map(({ at, action, status, reason, cause }) => ({
    at,
    action,
    status,
    statusReason: reason,
    cause: JSON.parse(cause),
  }))
}
