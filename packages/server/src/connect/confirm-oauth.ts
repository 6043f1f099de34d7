import type { IntegrationAccount } from '../account/account.ts'
import { getAccount } from '../account/get-account.ts'
import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../caller/caller.ts'
import { ApiError } from '../errors.ts'
import { hashSecret } from '../oauth/random.ts'
import type { ConnectDeps } from './connect-deps.ts'
import { endOverdueAccounts } from './end-overdue-accounts.ts'
import type { ConfirmOAuth } from './oauth-schemas.ts'

/**
 * Makes a pending account active: the host's backend says that the person who came back is the one it sent. A token is
 * good once, for 15 minutes, within the caller's reach.
 *
 * @throws ApiError `oauth_confirm_invalid`, alike for wrong, expired, used and foreign tokens
 */
export async function confirmOAuth(
  deps: ConnectDeps,
  caller: Caller,
  { confirmToken }: ConfirmOAuth,
): Promise<IntegrationAccount> {
  const now = deps.now()
  const confirmed = await deps.database.transaction(async (trx) => {
    await endOverdueAccounts(deps, trx)
    const account = await deps.pendingAccounts.confirm(trx, caller, hashSecret(confirmToken), now)
    if (account !== undefined)
      await recordAudit(trx, caller, now, {
        action: 'account.confirmed',
        workspaceId: account.workspace_id,
        subject: account.account_id,
      })
    return account
  })
  if (confirmed === undefined)
    throw new ApiError(
      'oauth_confirm_invalid',
      'This token confirms nothing: it is wrong, was used, or is older than 15 minutes.',
    )
  return getAccount(deps, caller, confirmed.account_id)
}
