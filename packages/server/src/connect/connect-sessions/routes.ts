import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { buildNextLinkHeader, PaginationQuery } from '../../platform/http/pagination.ts'
import {
  createResponseSchemas,
  EmptyQuery,
  IdOf,
  listOf,
  ref,
  StrictObject,
} from '../../platform/http/schema.ts'
import type { ConnectSessionId } from './connect-session.ts'
import { CreateConnectSession } from './connect-session-requests.ts'
import { type CreateConnectSessionDeps, createConnectSession } from './create-connect-session.ts'
import { deleteConnectSession } from './delete-connect-session.ts'
import { getConnectSession } from './get-connect-session.ts'
import { type ListConnectSessionsDeps, listConnectSessions } from './list-connect-sessions.ts'
import { ConnectSessionResponse, NewConnectSession } from './schemas.ts'

export interface ConnectSessionRoutesDeps
  extends CreateConnectSessionDeps,
    ListConnectSessionsDeps {}

const tags = ['Connect sessions']
const params = Type.Object({
  connectSessionId: IdOf<ConnectSessionId>({ description: 'Identifier of the connect session.' }),
})

/** `/v1/connect_session` */
export function connectSessionRoutes(deps: ConnectSessionRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/connect_session', {
      config: { scope: 'links:write', returnsSecret: true },
      schema: {
        operationId: 'createConnectSession',
        summary: 'Create a connect session',
        description:
          'A page for one customer: what you set here cannot be changed in the browser. The response has its URL this once.',
        tags,
        querystring: EmptyQuery,
        body: ref(CreateConnectSession),
        response: createResponseSchemas(201, ref(NewConnectSession), 'The session and its token.'),
      },
      handler: async (request, reply) =>
        reply.code(201).send(await createConnectSession(deps, getCaller(request), request.body)),
    })

    app.get('/v1/connect_session', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listConnectSessions',
        summary: 'List the connect sessions of a workspace',
        description:
          'Returns sessions in any state, oldest first, until 30 days after they expire. Paginate with `limit` (default 100) and `cursor`; the `Link` header has the next page.',
        tags,
        querystring: StrictObject({
          workspaceId: Type.Optional(
            IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
          ),
          accountIdentifier: Type.Optional(
            Type.String({
              maxLength: 255,
              description: 'Only sessions with this accountIdentifier.',
            }),
          ),
          ...PaginationQuery,
        }),
        response: createResponseSchemas(200, listOf(ConnectSessionResponse), 'The sessions.'),
      },
      handler: async (request, reply) => {
        const { sessions, next } = await listConnectSessions(
          deps,
          getCaller(request),
          request.query,
        )
        if (next)
          reply.header('link', buildNextLinkHeader(deps.baseUrl(), request.originalUrl, next))
        return sessions
      },
    })

    app.get('/v1/connect_session/:connectSessionId', {
      config: { scope: 'read' },
      schema: {
        operationId: 'getConnectSession',
        summary: 'Get a connect session',
        description: 'Returns its status, its accounts, and why the last attempt failed.',
        tags,
        params,
        querystring: EmptyQuery,
        response: createResponseSchemas(200, ref(ConnectSessionResponse), 'The session.'),
      },
      handler: (request) =>
        getConnectSession(deps, getCaller(request), request.params.connectSessionId),
    })

    app.delete('/v1/connect_session/:connectSessionId', {
      config: { scope: 'links:write' },
      schema: {
        operationId: 'deleteConnectSession',
        summary: 'Revoke a connect session',
        description:
          'Its page ends with the next request. Its accounts remain. A session that has ended is unchanged.',
        tags,
        params,
        querystring: EmptyQuery,
        response: createResponseSchemas(200, ref(ConnectSessionResponse), 'The session.'),
      },
      handler: (request) =>
        deleteConnectSession(deps, getCaller(request), request.params.connectSessionId),
    })
  }
}
