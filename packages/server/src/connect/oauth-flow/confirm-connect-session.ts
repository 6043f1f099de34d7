import type { Caller } from '../../access/auth/caller.ts'
import type { IntegrationAccount } from '../../accounts/accounts/schemas/account.ts'
import type { ConnectSessionId } from '../connect-sessions/connect-session.ts'
import {
  type GetConnectSessionDeps,
  requireConnectSession,
} from '../connect-sessions/get-connect-session.ts'
import { confirmOAuth } from './confirm-oauth.ts'
import type { OAuthFlowDeps } from './oauth-flow-deps.ts'
import type { ConfirmOAuth } from './oauth-schemas.ts'

export interface ConfirmConnectSessionDeps extends OAuthFlowDeps, GetConnectSessionDeps {}

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
