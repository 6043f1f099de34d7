import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { ConnectSessionId } from './connect-session.ts'
import { ConnectSessionParams } from './connect-session-requests.ts'
import {
  type GetConnectSessionDeps,
  getConnectSession,
  requireConnectSession,
} from './get-connect-session.ts'
import { recordConnectSessionChange } from './record-connect-session-change.ts'
import { ConnectSessionResponse } from './schemas.ts'

export const deleteConnectSessionOperation = defineOperation({
  id: 'deleteConnectSession',
  sdk: 'connectSessions.delete',
  method: 'DELETE',
  path: '/v1/connect_session/:connectSessionId',
  tag: 'Connect sessions',
  summary: 'Revoke a connect session',
  description:
    'Its page ends with the next request. Its accounts remain. A session that has ended is unchanged.',
  scope: 'links:write',
  params: ConnectSessionParams,
  response: ConnectSessionResponse,
  returns: 'The session.',
  errors: ['connect_session_not_found'],
  audit: 'connect_session.revoked',
  handle: (deps: GetConnectSessionDeps, caller, { params }) =>
    deleteConnectSession(deps, caller, params.connectSessionId),
})

/**
 * Revokes a connect session: its page shows nothing more, and a running attempt stores no account. Its accounts remain. A
 * session that has ended is unchanged.
 *
 * @throws ApiError `connect_session_not_found`
 */
export async function deleteConnectSession(
  deps: GetConnectSessionDeps,
  caller: Caller,
  connectSessionId: ConnectSessionId,
): Promise<ConnectSessionResponse> {
  await requireConnectSession(deps, caller, connectSessionId)
  const now = deps.now()
  await deps.database.transaction(async (trx) => {
    const revoked = await deps.connectSessions.revoke(trx, caller, connectSessionId, now)
    if (revoked !== undefined)
      await recordConnectSessionChange(trx, caller, now, 'connect_session.revoked', revoked)
  })
  return getConnectSession(deps, caller, connectSessionId)
}
