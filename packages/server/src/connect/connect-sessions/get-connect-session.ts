import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { notFound } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { ConnectSession, ConnectSessionId } from './connect-session.ts'
import { ConnectSessionParams } from './connect-session-requests.ts'
import type { ConnectSessionStore } from './connect-session-store.ts'
import { ConnectSessionResponse, serializeConnectSession } from './schemas.ts'

export interface GetConnectSessionDeps {
  readonly database: Database
  readonly connectSessions: ConnectSessionStore
  readonly now: () => number
}

export const getConnectSessionOperation = defineOperation({
  id: 'getConnectSession',
  sdk: 'connectSessions.get',
  method: 'GET',
  path: '/v1/connect_session/:connectSessionId',
  tag: 'Connect sessions',
  summary: 'Get a connect session',
  description: 'Returns its status, its accounts, and why the last attempt failed.',
  scope: 'read',
  params: ConnectSessionParams,
  response: ConnectSessionResponse,
  returns: 'The session.',
  errors: ['connect_session_not_found'],
  handle: (deps: GetConnectSessionDeps, caller, { params }) =>
    getConnectSession(deps, caller, params.connectSessionId),
})

/** A connect session in any state (interface: Get connect session). @throws ApiError `connect_session_not_found` */
export async function getConnectSession(
  deps: GetConnectSessionDeps,
  access: WorkspaceAccess,
  connectSessionId: ConnectSessionId,
): Promise<ConnectSessionResponse> {
  const session = await requireConnectSession(deps, access, connectSessionId)
  return serializeConnectSession(session, deps.now())
}

/** The session with this id, in any state. @throws ApiError `connect_session_not_found` */
export async function requireConnectSession(
  { database, connectSessions }: GetConnectSessionDeps,
  access: WorkspaceAccess,
  connectSessionId: ConnectSessionId,
): Promise<ConnectSession> {
  const session = isId('cns', connectSessionId)
    ? await connectSessions.find(database.read, access, connectSessionId)
    : undefined
  if (session === undefined) throw notFound('connect_session')
  return session
}
