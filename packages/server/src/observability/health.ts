import type { FastifyPluginAsync } from 'fastify'
import type { DrainState } from '../http/drain.ts'
import type { Database } from '../storage/database.ts'

export interface HealthDeps {
  readonly database: Database
  readonly drainState: DrainState
}

/** `/health/live`: the process responds. `/health/ready`: it can serve requests, and storage works. */
export function healthRoutes({ database, drainState }: HealthDeps): FastifyPluginAsync {
  return async (app) => {
    const noStore = { 'cache-control': 'no-store' }
    app.get('/health/live', { schema: { hide: true } }, async (_request, reply) =>
      reply.headers(noStore).send({ status: 'ok' }),
    )
    app.get('/health/ready', { schema: { hide: true } }, async (_request, reply) => {
      const isStorageHealthy = await database.healthy()
      const isReady = isStorageHealthy && !drainState.isDraining
      return reply
        .headers(noStore)
        .code(isReady ? 200 : 503)
        .send({
          status: isReady ? 'ok' : drainState.isDraining ? 'draining' : 'storage unavailable',
        })
    })
  }
}
