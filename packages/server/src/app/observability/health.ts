import type { FastifyPluginAsync } from 'fastify'
import type { DrainState } from '../../platform/http/drain.ts'
import { addLogFields, logAsExpected } from '../../platform/http/log.ts'
import type { Database } from '../../platform/storage/database.ts'

export interface HealthDeps {
  readonly database: Database
  readonly drainState: DrainState
}

/** `/health/live`: the process responds. `/health/ready`: it can serve requests, and storage works. */
export function healthRoutes(deps: HealthDeps): FastifyPluginAsync {
  return async (app) => {
    const noStore = { 'cache-control': 'no-store' }
    app.get('/health/live', { schema: { hide: true } }, async (_request, reply) =>
      reply.headers(noStore).send({ status: 'ok' }),
    )
    app.get('/health/ready', { schema: { hide: true } }, async (request, reply) => {
      const status = await getStatus(deps)
      if (status !== 'ok') addLogFields(request, { reason: status })
      if (status === 'draining') logAsExpected(request)
      return reply
        .headers(noStore)
        .code(status === 'ok' ? 200 : 503)
        .send({ status })
    })
  }
}

/** Why the service cannot serve all requests; `ok` if it can. */
export async function getStatus({ database, drainState }: HealthDeps): Promise<string> {
  if (drainState.isDraining) return 'draining'
  if (!(await database.healthy())) return 'storage unavailable'
  return (await database.hasSpace()) ? 'ok' : 'storage full'
}
