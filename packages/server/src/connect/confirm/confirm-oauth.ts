import { getAccount } from '../../account/get-account.ts'
import type { IntegrationAccount } from '../../account/wire/account.ts'
import { recordAudit } from '../../audit/audit-store.ts'
import type { Caller } from '../../caller/caller.ts'
import { ApiError } from '../../errors.ts'
import { hashSecret } from '../../oauth/authorize/random.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'
import { abandonReplaced } from '../abandon/abandon-replaced.ts'
import { admitStarter, hasEnded, loadAttempt } from '../attempt/attempt-context.ts'
import { storeConnection } from '../callback/store-connection.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import type { ConfirmOAuth } from '../oauth-schemas.ts'

/**
 * Makes a pending account active, or gives a reconnected one what it brought: the host's backend says that the person
 * who came back is the one it sent. A token is good once, for 15 minutes, within the caller's reach.
 *
 * @throws ApiError `oauth_confirm_invalid`, alike for wrong, expired, used and foreign tokens; `oauth_start_revoked`;
 * for a reconnect also what storeConnection throws
 */
export async function confirmOAuth(
  deps: ConnectDeps,
  caller: Caller,
  { confirmToken }: ConfirmOAuth,
): Promise<IntegrationAccount> {
  const confirmHash = hashSecret(confirmToken)
  const accountId =
    (await confirmPending(deps, caller, confirmHash)) ??
    (await confirmReconnect(deps, caller, confirmToken))
  if (accountId === undefined)
    throw new ApiError(
      'oauth_confirm_invalid',
      'This token confirms nothing: it is wrong, was used, or is older than 15 minutes.',
    )
  return getAccount(deps, caller, accountId)
}

/** Undefined when no account waits for this token. @throws ApiError `oauth_start_revoked` */
async function confirmPending(
  deps: ConnectDeps,
  caller: Caller,
  confirmHash: Uint8Array,
): Promise<string | undefined> {
  const now = deps.now()
  const confirm = async (trx: Transaction) => {
    const account = await deps.pendingAccounts.confirm(trx, caller, confirmHash, now)
    if (account === undefined) return undefined
    const maker = await deps.attempts.findMaker(trx, confirmHash)
    if (maker === undefined) throw hasEnded()
    await admitStarter(deps, trx, maker)
    await recordAudit(trx, caller, now, {
      action: 'account.confirmed',
      workspaceId: account.workspace_id,
      subject: account.account_id,
    })
    return account.account_id
  }
  // Whoever changes the row first has it; nothing here rests on what other rows keep saying.
  return deps.database.transaction(confirm)
}

/** Undefined when no reconnect waits for this token, or not any more. @throws ApiError as storeConnection */
async function confirmReconnect(
  deps: ConnectDeps,
  caller: Caller,
  confirmToken: string,
): Promise<string | undefined> {
  const confirmHash = hashSecret(confirmToken)
  const findHeld = () => deps.attempts.findHeld(caller, confirmHash, deps.now())
  const attempt = await findHeld()
  if (attempt === undefined) return undefined
  try {
    return await storeHeld(deps, caller, attempt, confirmToken)
  } catch (error) {
    // Another request with the same token was quicker: to this one it is a used token like any other.
    if (error instanceof ApiError && (await findHeld()) === undefined) return undefined
    throw error
  }
}

async function storeHeld(
  deps: ConnectDeps,
  { requestId }: Caller,
  attempt: OAuthAttemptRow,
  confirmToken: string,
): Promise<string | undefined> {
  const context = await loadAttempt(deps, attempt)
  const { proven } = context.secrets
  if (proven === undefined) return undefined
  const stored = await storeConnection(deps, context, proven, { requestId, confirmToken })
  await abandonReplaced(deps, context)
  return stored.accountId
}
