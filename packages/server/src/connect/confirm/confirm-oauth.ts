import { getAccount } from '../../account/get-account.ts'
import type { IntegrationAccount } from '../../account/wire/account.ts'
import { recordAudit } from '../../audit/audit-store.ts'
import type { Caller } from '../../caller/caller.ts'
import { ApiError } from '../../errors.ts'
import { hashSecret } from '../../oauth/authorize/random.ts'
import { loadAttempt } from '../attempt/attempt-context.ts'
import { endOverdueAccounts } from '../attempt/end-overdue-accounts.ts'
import { storeConnection } from '../callback/store-connection.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import type { ConfirmOAuth } from '../oauth-schemas.ts'

/**
 * Makes a pending account active, or gives a reconnected one what it brought: the host's backend says that the person who came back is the one it sent. A token is
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
  const tokenHash = hashSecret(confirmToken)
  const confirmed = await deps.database.transaction(async (trx) => {
    await endOverdueAccounts(deps, trx)
    const account = await deps.pendingAccounts.confirm(trx, caller, tokenHash, now)
    if (account !== undefined)
      await recordAudit(trx, caller, now, {
        action: 'account.confirmed',
        workspaceId: account.workspace_id,
        subject: account.account_id,
      })
    return account
  })
  const accountId = confirmed?.account_id ?? (await confirmReconnect(deps, caller, tokenHash))
  if (accountId === undefined)
    throw new ApiError(
      'oauth_confirm_invalid',
      'This token confirms nothing: it is wrong, was used, or is older than 15 minutes.',
    )
  return getAccount(deps, caller, accountId)
}

/** Undefined when no reconnect waits for this token. @throws ApiError as storeConnection */
async function confirmReconnect(
  deps: ConnectDeps,
  caller: Caller,
  tokenHash: Uint8Array,
): Promise<string | undefined> {
  const attempt = await deps.attempts.findHeld(caller, tokenHash, deps.now())
  if (attempt === undefined) return undefined
  const context = await loadAttempt(deps, attempt)
  if (context.secrets.proven === undefined) return undefined
  const stored = await storeConnection(deps, context, context.secrets.proven, caller.requestId)
  return stored.accountId
}
