import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { AccountId } from './account.ts'
import { selectAccounts } from './account-row-store.ts'

const COLUMNS = [
  'accounts.account_id',
  'accounts.oauth_app_id',
  'accounts.created_at',
  'accounts.deleted_at',
  'accounts.last_used_at',
  'accounts.last_ok_at',
  'accounts.checked_at',
  'accounts.status_since',
  'account_tokens.token_expires_at',
  'account_tokens.refresh_at',
  'account_tokens.refresh_failures',
  'account_tokens.refreshed_at',
  'account_tokens.requested_scopes',
  'account_tokens.granted_scopes',
] as const

/** The columns of the health of a live or deleted account; undefined if there is none. */
export function findHealthRow(
  { read }: Pick<Database, 'read'>,
  access: WorkspaceAccess,
  accountId: AccountId,
) {
  return selectAccounts(read)
    .select(COLUMNS)
    .where('accounts.account_id', '=', accountId)
    .where(isInAccessibleWorkspace(access, 'accounts'))
    .executeTakeFirst()
}

export type HealthRow = NonNullable<Awaited<ReturnType<typeof findHealthRow>>>
