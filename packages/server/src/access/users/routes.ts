import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createResponseSchemas, EmptyQuery, ref } from '../../platform/http/schema.ts'
import { getCaller } from '../auth/authenticate-requests.ts'
import { requireAdmin } from '../auth/caller.ts'
import { type CreateUserDeps, createUser } from './create-user.ts'
import { tags } from './read-routes.ts'
import { CreateUser, NewUser } from './schemas.ts'

/** The writes of `/v1/user`. */
export function userRoutes(deps: CreateUserDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/user', {
      config: { scope: 'admin', returnsSecret: true },
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
