import type { FastifyInstance } from 'fastify'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import type { RateLimit } from '../limits/rate-limits.ts'
import { cancelSubmission } from './cancel-submission.ts'
import { getSubmission } from './get-submission.ts'

/** `/link/…/attempts/…` and `/connect/…/attempts/…`: the state of a submission, as JSON, and its cancellation. */
export function registerSubmissionRoutes(
  app: FastifyInstance,
  deps: ConnectPageDeps,
  limit: RateLimit,
): void {
  for (const [method, handle] of [
    ['GET', getSubmission],
    ['DELETE', cancelSubmission],
  ] as const)
    for (const folder of ['/link/', '/connect/'])
      app.route<{ Params: { pageId: string; attemptId: string } }, { rawQuery: boolean }>({
        method,
        url: `${folder}:pageId/attempts/:attemptId`,
        config: { rawQuery: true },
        schema: { hide: true },
        async handler(request, reply) {
          const seconds = await limit(request)
          if (seconds === 0) return handle(deps, request.params, request, reply)
          reply.code(429).header('retry-after', String(seconds))
          return reply.send({ state: 'unknown', code: 'rate_limited' })
        },
      })
}
