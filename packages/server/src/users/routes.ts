import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getCaller } from '../auth/authenticate-requests.ts'
import { cacheDirectRead } from '../auth/cache-direct-read.ts'
import { requireAdmin, type WorkspaceAccess } from '../auth/caller.ts'
import { createResponseSchemas, EmptyQuery, ref } from '../http/schema.ts'
import { createSerializer } from '../http/serializer.ts'
import { type CreateUserDeps, createUser } from './create-user.ts'
import { getUser } from './get-user.ts'
import { CreateUser, NewUser, UserResponse } from './schemas.ts'

const tags = ['Users']

/** `/v1/user` */
export function userRoutes(deps: CreateUserDeps): FastifyPluginAsyncTypebox {
  const stringify = createSerializer(UserResponse)
  const getUserText = async (access: WorkspaceAccess) => stringify(await getUser(deps, access))
  return async (app) => {
    app.get('/v1/user', {
      config: { directRead: cacheDirectRead(deps.database, getUserText) },
      schema: {
        operationId: 'getUser',
        summary: 'Get the current user',
        description:
          'Works with any valid token. `Workspace` lists the workspaces that the token can access.',
        tags,
        querystring: EmptyQuery,
        response: createResponseSchemas(200, ref(UserResponse), 'The user.'),
      },
      handler: async (request) => getUser(deps, getCaller(request)),
    })

    app.post('/v1/user', {
      config: { scope: 'admin' },
      onRequest: async (request) => requireAdmin(getCaller(request)),
      schema: {
        operationId: 'createUser',
        summary: 'Create a user with a workspace and a token',
        description:
          'For administrators of this instance. The new user starts with one workspace and one token, which is returned only once.',
        tags,
        querystring: EmptyQuery,
        body: ref(CreateUser),
        response: createResponseSchemas(201, ref(NewUser), 'The user and a first token.'),
      },
      handler: async (request, reply) =>
        reply.code(201).send(await createUser(deps, getCaller(request), request.body)),
    })
  }
}
