import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { resolveWorkspace } from '../../access/workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import {
  buildNextLinkHeader,
  type CursorPosition,
  PaginationQuery,
  paginate,
  parsePagination,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import type { GetConnectSessionDeps } from './get-connect-session.ts'
import { ConnectSessionResponse, serializeConnectSession } from './schemas.ts'

export interface ListConnectSessionsDeps extends GetConnectSessionDeps {
  readonly workspaces: WorkspaceStore
  readonly baseUrl: () => string
}

const ListConnectSessionsQuery = StrictObject({
  workspaceId: Type.Optional(
    IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
  ),
  accountIdentifier: Type.Optional(
    Type.String({ maxLength: 255, description: 'Only sessions with this accountIdentifier.' }),
  ),
  ...PaginationQuery,
})

export const listConnectSessionsOperation = defineOperation({
  id: 'listConnectSessions',
  sdk: 'connectSessions.list',
  method: 'GET',
  path: '/v1/connect_session',
  tag: 'Connect sessions',
  summary: 'List the connect sessions of a workspace',
  description:
    'Returns sessions in any state, oldest first, until 30 days after they expire. Paginate with `limit` (default 100) and `cursor`; the `Link` header has the next page.',
  scope: 'read',
  query: ListConnectSessionsQuery,
  response: listOf(ConnectSessionResponse),
  returns: 'The sessions.',
  errors: [],
  handle: async (deps: ListConnectSessionsDeps, caller, { query }, reply) => {
    const { sessions, next } = await listConnectSessions(deps, caller, query)
    if (next)
      reply.header('link', buildNextLinkHeader(deps.baseUrl(), reply.request.originalUrl, next))
    return sessions
  },
})

/** The connect sessions of a workspace in any state, oldest first (interface: List connect sessions). */
export async function listConnectSessions(
  deps: ListConnectSessionsDeps,
  caller: Caller,
  query: Static<typeof ListConnectSessionsQuery>,
): Promise<{ sessions: ConnectSessionResponse[]; next: CursorPosition | undefined }> {
  const page = { ...parsePagination(query), limit: query.limit ?? DEFAULT_LIMIT }
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const { connectSessions } = deps
  const found = await connectSessions.list(caller, workspaceId, query.accountIdentifier, page)
  const { items, last } = paginate(found, page)
  const now = deps.now()
  return {
    sessions: items.map((session) => serializeConnectSession(session, now)),
    next: last && { createdAt: last.createdAt, id: last.connectSessionId },
  }
}

const DEFAULT_LIMIT = 100
