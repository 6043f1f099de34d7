import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../caller/caller.ts'
import type { Database } from '../storage/database.ts'
import type { IntegrationAccount } from './account.ts'
import type { AccountStore } from './account-store.ts'
import { getAccount } from './get-account.ts'

export interface DeleteAccountDeps {
  readonly database: Database
  readonly accounts: AccountStore
  readonly now: () => number
}

/**
 * Erases the configuration and leaves a tombstone, which repeating it answers again (interface: Delete integration
 * account).
 *
 * @throws ApiError `integration_account_not_found`
 */
export async function deleteAccount(
  deps: DeleteAccountDeps,
  caller: Caller,
  accountId: string,
): Promise<IntegrationAccount> {
  const before = await getAccount(deps, caller, accountId)
  if (before.deleted !== null) return before
  const now = deps.now()
  await deps.database.transaction(async (trx) => {
    if (!(await deps.accounts.markDeleted(trx, caller, accountId, now))) return
    await recordAudit(trx, caller, now, {
      action: 'account.deleted',
      workspaceId: before.workspaceId,
      subject: accountId,
    })
  })
  return getAccount(deps, caller, accountId)
}
