import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createResponseSchemas, EmptyQuery, ref } from '../../platform/http/schema.ts'
import { sendJson } from '../../platform/http/send-json.ts'
import type { Database } from '../../platform/storage/database.ts'
import { getCaller } from '../auth/authenticate-requests.ts'
import { cacheDirectRead } from '../auth/cache-direct-read.ts'
import type { WorkspaceAccess } from '../auth/caller.ts'
import { type GetUserDeps, getUser } from './get-user.ts'
import { UserResponse } from './schemas.ts'

export const tags = ['Users']

export interface UserReadDeps extends GetUserDeps {
  readonly database: Database
}

/** The reads of `/v1/user`, which need nothing but the database. */
export function userReadRoutes(deps: UserReadDeps): FastifyPluginAsyncTypebox {
  /** Undefined if there are too many workspaces for one text. */
  const getUserText = async (access: WorkspaceAccess) => {
    const json = await getUser(deps, access)
    if (typeof json === 'string') return json
    json.destroy()
    return undefined
  }
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
      handler: async (request, reply) => sendJson(reply, await getUser(deps, getCaller(request))),
    })
  }
}
