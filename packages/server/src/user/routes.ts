import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { requireAdmin } from '../caller/caller.ts'
import { callerOf } from '../caller/request-caller.ts'
import { answers, NoQuery, ref } from '../http/schema.ts'
import { type CreateUserDeps, createUser } from './create-user.ts'
import { getUser } from './get-user.ts'
import { CreateUser, NewUser, User } from './user.ts'

const tags = ['Users']

/** `/v1/user` */
export function userRoutes(deps: CreateUserDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/v1/user', {
      schema: {
        operationId: 'getUser',
        summary: 'Get the current user',
        description:
          'Any live token will do. `Workspace` holds the workspaces that this token reaches.',
        tags,
        querystring: NoQuery,
        response: answers(200, ref(User), 'Who calls.'),
      },
      handler: async (request) => getUser(deps, callerOf(request)),
    })

    app.post('/v1/user', {
      config: { scope: 'admin' },
      onRequest: async (request) => requireAdmin(callerOf(request)),
      schema: {
        operationId: 'createUser',
        summary: 'Create a user with a workspace and a token',
        description:
          'Administration of this Linchpin. The new user starts with one workspace and one token, which is shown this once only.',
        tags,
        querystring: NoQuery,
        body: ref(CreateUser),
        response: answers(201, ref(NewUser), 'The user and a first token.'),
      },
      handler: async (request, reply) =>
        reply.code(201).send(await createUser(deps, callerOf(request), request.body)),
    })
  }
}
