import { getAccount } from '../accounts/get-account.ts'
import type { IntegrationAccount } from '../accounts/schemas/account.ts'
import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../auth/caller.ts'
import { ApiError } from '../errors.ts'
import { hashSecret } from '../oauth/authorize/pkce.ts'
import type { OAuthAttemptRow } from '../storage/tables.ts'
import type { Transaction } from '../storage/transaction.ts'
import { storeConnection } from './callback/store-connection.ts'
import { revokeReplacedGrant } from './cleanup/revoke-failed-session.ts'
import type { OAuthFlowDeps } from './oauth-flow-deps.ts'
import type { ConfirmOAuth } from './oauth-schemas.ts'
import {
  assertStarterTokenActive,
  loadSessionContext,
  sessionEnded,
} from './session/session-context.ts'

/**
 * Makes a pending account active, or gives a reconnected one what it brought: the host's backend says that the person
 * who came back is the one it sent. A token is good once, for 15 minutes, within the caller's reach.
 *
 * @throws ApiError `oauth_confirm_invalid`, alike for wrong, expired, used and foreign tokens; `oauth_start_revoked`;
 * for a reconnect also what storeConnection throws
 */
export async function confirmOAuth(
  deps: OAuthFlowDeps,
  caller: Caller,
  { confirmToken }: ConfirmOAuth,
): Promise<IntegrationAccount> {
  const confirmHash = hashSecret(confirmToken)
  const accountId =
    (await confirmPendingAccount(deps, caller, confirmHash)) ??
    (await confirmReconnect(deps, caller, confirmToken))
  if (accountId === undefined)
    throw new ApiError(
      'oauth_confirm_invalid',
      'This token confirms nothing: it is wrong, was used, or is older than 15 minutes.',
    )
  return getAccount(deps, caller, accountId)
}

/** Undefined when no account waits for this token. @throws ApiError `oauth_start_revoked` */
async function confirmPendingAccount(
  deps: OAuthFlowDeps,
  caller: Caller,
  confirmHash: Uint8Array,
): Promise<string | undefined> {
  const now = deps.now()
  const confirm = async (trx: Transaction) => {
    const account = await deps.pendingAccounts.confirm(trx, caller, confirmHash, now)
    if (account === undefined) return undefined
    const session = await deps.oauthSessions.findByConfirmHash(trx, confirmHash)
    if (session === undefined) throw sessionEnded()
    await assertStarterTokenActive(deps, trx, session)
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
  deps: OAuthFlowDeps,
  caller: Caller,
  confirmToken: string,
): Promise<string | undefined> {
  const confirmHash = hashSecret(confirmToken)
  const findAwaitingConfirmation = () =>
    deps.oauthSessions.findAwaitingConfirmation(caller, confirmHash, deps.now())
  const session = await findAwaitingConfirmation()
  if (session === undefined) return undefined
  try {
    return await storeConfirmedReconnect(deps, caller, session, confirmToken)
  } catch (error) {
    // Another request with the same token was quicker: to this one it is a used token like any other.
    if (error instanceof ApiError && (await findAwaitingConfirmation()) === undefined)
      return undefined
    throw error
  }
}

async function storeConfirmedReconnect(
  deps: OAuthFlowDeps,
  { requestId }: Caller,
  session: OAuthAttemptRow,
  confirmToken: string,
): Promise<string | undefined> {
  const context = await loadSessionContext(deps, session)
  const { proven } = context.secrets
  if (proven === undefined) return undefined
  const connection = await storeConnection(deps, context, proven, { requestId, confirmToken })
  await revokeReplacedGrant(deps, context)
  return connection.accountId
}
