import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../caller/caller.ts'
import type { AccountStore } from './account-store.ts'
import { getAccount } from './get-account.ts'
import { revokeGrant } from './renewal/grant/revoke-grant.ts'
import type { RenewalDeps } from './renewal/renewal-deps.ts'
import type { DeletedAccount } from './wire/account.ts'

export interface DeleteAccountDeps extends RenewalDeps {
  readonly accounts: AccountStore
}

/**
 * Revokes at the provider where the spec says how, erases the configuration and leaves a tombstone, which repeating it
 * answers again (interface: Delete integration account). A provider that fails does not keep anything from being
 * erased: `revocation` tells how it went.
 *
 * @throws ApiError `integration_account_not_found`
 */
export async function deleteAccount(
  deps: DeleteAccountDeps,
  caller: Caller,
  accountId: string,
): Promise<DeletedAccount> {
  const before = await getAccount(deps, caller, accountId)
  if (before.deleted !== null) return { ...before, revocation: null }
  const revocation = await revokeGrant(deps, accountId)
  const now = deps.now()
  await deps.database.transaction(async (trx) => {
    if (!(await deps.accounts.markDeleted(trx, caller, accountId, now))) return
    await recordAudit(trx, caller, now, {
      action: 'account.deleted',
      workspaceId: before.workspaceId,
      subject: accountId,
      detail: { revocation },
    })
  })
  return { ...(await getAccount(deps, caller, accountId)), revocation }
}
