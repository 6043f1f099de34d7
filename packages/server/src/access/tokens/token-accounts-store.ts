import type { Kysely } from 'kysely'
import type { Id } from '../../platform/storage/id.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { WorkspaceAccess } from '../auth/caller.ts'
import { isInAccessibleWorkspace } from '../auth/workspace-access-store.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'

/** Which of these accounts exist in the workspace and are not deleted. */
export async function listLiveAccountIds(
  trx: Kysely<Tables>,
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
  accountIds: readonly Id<'acc'>[],
): Promise<ReadonlySet<string>> {
  if (accountIds.length === 0) return new Set()
  const rows = await trx
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', 'in', accountIds)
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .where(isInAccessibleWorkspace(access, 'accounts'))
    .execute()
  return new Set(rows.map((row) => row.account_id))
}
