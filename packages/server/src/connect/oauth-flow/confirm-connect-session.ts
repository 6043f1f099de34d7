import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { LINK_ERRORS } from '../../access/operations/operation-errors.ts'
import { IntegrationAccount } from '../../accounts/accounts/schemas/account.ts'
import type { ConnectSessionId } from '../connect-sessions/connect-session.ts'
import { ConnectSessionParams } from '../connect-sessions/connect-session-requests.ts'
import {
  type GetConnectSessionDeps,
  requireConnectSession,
} from '../connect-sessions/get-connect-session.ts'
import { confirmOAuth } from './confirm-oauth.ts'
import type { OAuthFlowDeps } from './oauth-flow-deps.ts'
import { ConfirmOAuth } from './oauth-schemas.ts'

export interface ConfirmConnectSessionDeps extends OAuthFlowDeps, GetConnectSessionDeps {}

export const confirmConnectSessionOperation = defineOperation({
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
