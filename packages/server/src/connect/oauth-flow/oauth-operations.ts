import { hashSecret } from '../../access/auth/access-token.ts'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation, LINK_ERRORS } from '../../access/operations/define-operation.ts'
import { type AccountId, IntegrationAccount } from '../../accounts/accounts/account.ts'
import {
  recordAccountChange,
  recordPermissionsChange,
} from '../../accounts/accounts/account-records.ts'
import { readGrant, toScopesOwner } from '../../accounts/accounts/account-scopes-store.ts'
import { getAccount } from '../../accounts/accounts/get-account.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { ConnectSessionId } from '../connect-sessions/connect-session.ts'
import {
  type GetConnectSessionDeps,
  requireConnectSession,
} from '../connect-sessions/connect-session-operations.ts'
import { ConnectSessionParams } from '../connect-sessions/schemas.ts'
import { storeConnection } from './callback/finish-sign-in.ts'
import type { OAuthFlowDeps } from './oauth-flow-deps.ts'
import { ConfirmOAuth } from './oauth-schemas.ts'
import type { OAuthSession } from './session/oauth-session.ts'
import {
  assertStarterTokenActive,
  createSessionEndedError,
  loadSessionContext,
} from './session/session-context.ts'
import { startOAuthOperation } from './start/start-oauth.ts'

const confirmOAuthOperation = defineOperation({
  id: 'confirmOAuth',
  sdk: 'oauth.confirm',
  method: 'POST',
  path: '/v1/oauth/confirm',
  tag: 'Integration accounts',
  summary: 'Confirm an OAuth connection',
  description:
    'Activates the pending account, or stores the new credentials of a reconnect. A token can be used once. Confirm only if the user who returned to redirectURL is the user who started.',
  scope: 'accounts:write',
  body: ConfirmOAuth,
  response: IntegrationAccount,
  returns: 'The active account.',
  errors: ['oauth_confirm_invalid', 'oauth_start_revoked', 'identity_mismatch', ...LINK_ERRORS],
  audit: 'account.confirmed',
  handle: (deps: OAuthFlowDeps, caller, { body }) => confirmOAuth(deps, caller, body),
})

/**
 * Activates a pending account, or stores the new credentials of a reconnected account. With this call the host
 * application confirms that the user who returned is the user who started. A token is valid once, for 15 minutes,
 * if the caller can access it.
 *
 * @param connectSessionId the only connect session whose tokens are valid; undefined: any, and those of no session
 * @throws ApiError `oauth_confirm_invalid`, the same for invalid, expired, used and foreign tokens;
 * `oauth_start_revoked`; for a reconnect also as `storeConnection`
 */
async function confirmOAuth(
  deps: OAuthFlowDeps,
  caller: Caller,
  { confirmToken }: ConfirmOAuth,
  connectSessionId?: Id<'cns'>,
): Promise<IntegrationAccount> {
  const confirmHash = hashSecret(confirmToken)
  const accountId =
    (await confirmPendingAccount(deps, caller, confirmHash, connectSessionId)) ??
    (await confirmReconnect(deps, caller, confirmToken, connectSessionId))
  if (accountId === undefined) throw createInvalidError()
  return getAccount(deps, caller, accountId)
}

function createInvalidError(): ApiError {
  return new ApiError(
    'oauth_confirm_invalid',
    'This confirmation token is invalid, already used, or expired (15 minutes).',
  )
}

/**
 * Undefined when no pending account has this token.
 *
 * @throws ApiError `oauth_start_revoked`; `oauth_confirm_invalid` for another connect session
 */
async function confirmPendingAccount(
  deps: OAuthFlowDeps,
  caller: Caller,
  confirmHash: Uint8Array,
  expected: Id<'cns'> | undefined,
): Promise<AccountId | undefined> {
  const now = deps.now()
  const confirm = async (trx: Transaction) => {
    const account = await deps.confirmations.confirmAccount(trx, caller, confirmHash, now)
    if (account === undefined) return undefined
    const session = await deps.confirmations.findAccountSession(trx, confirmHash)
    if (session === undefined) throw createSessionEndedError()
    await assertStarterTokenActive(deps, trx, session)
    const page = await deps.oauthSessions.findReturnPage(session, trx)
    // Ends the transaction, so that the token stays valid for its own session.
    if (expected !== undefined && page?.connectSessionId !== expected) throw createInvalidError()
    await recordAccountChange(trx, caller, now, {
      action: 'account.confirmed',
      accountId: account.accountId,
      type: 'account.created',
      data: { connectSessionId: page?.connectSessionId ?? null },
    })
    const grant = await readGrant(trx, toScopesOwner(account))
    await recordPermissionsChange(trx, caller, now, account.accountId, undefined, grant)
    return account.accountId
  }
  // No serializable isolation needed: the first update of the row wins, and nothing depends on other rows.
  return deps.database.transaction(confirm)
}

/**
 * Undefined when no reconnect awaits this token.
 *
 * @throws ApiError as `storeConnection`
 */
async function confirmReconnect(
  deps: OAuthFlowDeps,
  caller: Caller,
  confirmToken: string,
  expected: Id<'cns'> | undefined,
): Promise<AccountId | undefined> {
  const confirmHash = hashSecret(confirmToken)
  const findReconnect = () => deps.confirmations.findReconnect(caller, confirmHash, deps.now())
  const session = await findReconnect()
  if (session === undefined) return undefined
  if (expected !== undefined) {
    const page = await deps.oauthSessions.findReturnPage(session)
    if (page?.connectSessionId !== expected) return undefined
  }
  try {
    return await storeConfirmedReconnect(deps, caller, session, confirmToken)
  } catch (error) {
    // A concurrent request has used the token.
    if (error instanceof ApiError && (await findReconnect()) === undefined) return undefined
    throw error
  }
}

async function storeConfirmedReconnect(
  deps: OAuthFlowDeps,
  { requestId, ip, idempotencyClaim }: Caller,
  session: OAuthSession,
  confirmToken: string,
): Promise<AccountId | undefined> {
  const context = await loadSessionContext(deps, session)
  const { proven } = context.secrets
  if (proven === undefined) return undefined
  const { accountId } = await storeConnection(deps, context, proven, {
    requestId,
    ip,
    idempotencyClaim,
    confirmToken,
  })
  return accountId
}

export interface ConfirmConnectSessionDeps extends OAuthFlowDeps, GetConnectSessionDeps {}

const confirmConnectSessionOperation = defineOperation({
  id: 'confirmConnectSession',
  sdk: 'connectSessions.confirm',
  method: 'POST',
  path: '/v1/connect_session/:connectSessionId/confirm',
  tag: 'Connect sessions',
  summary: 'Confirm a sign-in of a connect session',
  description:
    'As Confirm an OAuth connection, for a token of this session only. Send it for the session that you created for the person who returned.',
  scope: 'accounts:write',
  params: ConnectSessionParams,
  body: ConfirmOAuth,
  response: IntegrationAccount,
  returns: 'The active account.',
  errors: [
    'connect_session_not_found',
    'oauth_confirm_invalid',
    'identity_mismatch',
    ...LINK_ERRORS,
  ],
  audit: 'account.confirmed',
  handle: (deps: ConfirmConnectSessionDeps, caller, { params, body }) =>
    confirmConnectSession(deps, caller, params.connectSessionId, body),
})

/**
 * Confirms a sign-in of one connect session: as `confirmOAuth`, but the token must be of this session, so a token that
 * someone brings back from another person's session is not confirmed.
 *
 * @throws ApiError `connect_session_not_found`; as `confirmOAuth`
 */
export async function confirmConnectSession(
  deps: ConfirmConnectSessionDeps,
  caller: Caller,
  connectSessionId: ConnectSessionId,
  input: ConfirmOAuth,
): Promise<IntegrationAccount> {
  await requireConnectSession(deps, caller, connectSessionId)
  return confirmOAuth(deps, caller, input, connectSessionId)
}

export const OAUTH_OPERATIONS = [
  startOAuthOperation,
  confirmOAuthOperation,
  confirmConnectSessionOperation,
]
