import Type, { type Static } from 'typebox'
import type { Caller, WorkspaceAccess } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { notFound } from '../../platform/errors.ts'
import {
  type BoundedPage,
  type JsonList,
  listInParts,
  PaginationQuery,
  parsePagination,
  type TakeTurn,
  toListBody,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { LinkId } from '../links/link.ts'
import {
  CONNECT_SESSION_STATUSES,
  type ConnectSession,
  type ConnectSessionId,
  type ConnectSessionStatus,
} from './connect-session.ts'
import {
  CONNECT_SESSION_ORDERS,
  type ConnectSessionFilter,
  type ConnectSessionStore,
} from './connect-session-store.ts'
import { createConnectSessionOperation } from './create-connect-session.ts'
import { recordConnectSessionChange } from './record-connect-session-change.ts'
import { ConnectSessionParams, ConnectSessionResponse, serializeConnectSession } from './schemas.ts'

export interface GetConnectSessionDeps {
  readonly database: Database
  readonly connectSessions: ConnectSessionStore
  readonly now: () => number
}

const getConnectSessionOperation = defineOperation({
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
async function getConnectSession(
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

export interface ListConnectSessionsDeps extends GetConnectSessionDeps {
  readonly workspaces: WorkspaceStore
  readonly takeTurn: TakeTurn
  readonly baseUrl: () => string
}

const ListConnectSessionsQuery = StrictObject({
  workspaceId: Type.Optional(
    IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
  ),
  accountIdentifier: Type.Optional(
    Type.String({ maxLength: 255, description: 'Only sessions with this accountIdentifier.' }),
  ),
  linkId: Type.Optional(
    IdOf<LinkId>({ maxLength: 64, description: 'Only sessions of this link.' }),
  ),
  status: Type.Optional(
    Type.Unsafe<ConnectSessionStatus>({
      type: 'string',
      enum: [...CONNECT_SESSION_STATUSES],
      description: 'Only sessions with this status.',
    }),
  ),
  order: Type.Optional(
    Type.Unsafe<NonNullable<ConnectSessionFilter['order']>>({
      type: 'string',
      enum: [...CONNECT_SESSION_ORDERS],
      description: 'Oldest first (default), or with `-` newest first.',
    }),
  ),
  ...PaginationQuery,
})

const listConnectSessionsOperation = defineOperation({
  id: 'listConnectSessions',
  sdk: 'connectSessions.list',
  method: 'GET',
  path: '/v1/connect_session',
  tag: 'Connect sessions',
  summary: 'List the connect sessions of a workspace',
  description:
    'Returns sessions in any state, oldest first unless `order` says otherwise, until 30 days after they expire. Paginate with `limit` (default 100) and `cursor`; the `Link` header has the next page.',
  scope: 'read',
  query: ListConnectSessionsQuery,
  response: listOf(ConnectSessionResponse),
  returns: 'The sessions.',
  errors: [],
  handle: async (deps: ListConnectSessionsDeps, caller, { query }, reply) =>
    toListBody(reply, deps.baseUrl(), await listConnectSessions(deps, caller, query)),
})

/** The connect sessions of a workspace in any state, oldest first unless the query has another order (interface: List connect sessions), as JSON. */
export async function listConnectSessions(
  deps: ListConnectSessionsDeps,
  caller: Caller,
  query: Static<typeof ListConnectSessionsQuery>,
): Promise<JsonList> {
  const page = { ...parsePagination(query), limit: query.limit ?? DEFAULT_LIMIT }
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const { connectSessions, takeTurn } = deps
  const now = deps.now()
  const { accountIdentifier, linkId, status, order } = query
  const filter = {
    accountIdentifier,
    linkId,
    status,
    order,
    now,
  }
  const source = {
    read: (part: BoundedPage) => connectSessions.list(caller, workspaceId, filter, part),
    positionOf: ({ createdAt, connectSessionId }: ConnectSession) => ({
      createdAt,
      id: connectSessionId,
    }),
    serialize: (sessions: readonly ConnectSession[]) =>
      sessions.map((session) => stringifySession(serializeConnectSession(session, now))),
  }
  return listInParts(source, page, { takeTurn, reauthenticate: caller.reauthenticate })
}

const stringifySession = createSerializer(ConnectSessionResponse)

const DEFAULT_LIMIT = 100

const deleteConnectSessionOperation = defineOperation({
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

export const CONNECT_SESSION_OPERATIONS = [
  createConnectSessionOperation,
  listConnectSessionsOperation,
  getConnectSessionOperation,
  deleteConnectSessionOperation,
]
