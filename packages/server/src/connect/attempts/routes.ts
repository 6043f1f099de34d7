import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import { buildNextLinkHeader } from '../../platform/http/pagination.ts'
import { createResponseSchemas, listOf } from '../../platform/http/schema.ts'
import { type ListAttemptsDeps, ListAttemptsQuery, listAttempts } from './list-attempts.ts'
import { AttemptResponse } from './schemas.ts'

export interface AttemptRoutesDeps extends ListAttemptsDeps {
  readonly baseUrl: () => string
}

/** `/v1/attempt` */
export function attemptRoutes(deps: AttemptRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/v1/attempt', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listAttempts',
        summary: 'List the attempts to connect accounts',
        description:
          'Why did it fail? Returns successful and failed attempts of the last 30 days, newest first. Paginate with `limit` (default 100) and `cursor`; the `Link` header has the next page.',
        tags: ['Attempts'],
        querystring: ListAttemptsQuery,
        response: createResponseSchemas(200, listOf(AttemptResponse), 'The attempts.'),
      },
      handler: async (request, reply) => {
        const { attempts, next } = await listAttempts(deps, getCaller(request), request.query)
        if (next)
          reply.header('link', buildNextLinkHeader(deps.baseUrl(), request.originalUrl, next))
        return attempts
      },
    })
  }
}
