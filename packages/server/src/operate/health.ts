import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../storage/database.ts'

/** Whether the service is going down. Not ready first, so that load balancers send no more. */
export interface Draining {
  isDraining: boolean
}

export interface HealthDeps {
  readonly database: Database
  readonly draining: Draining
}

/** `/health/live`: the process answers. `/health/ready`: it can do its work, storage included. */
export function healthRoutes({ database, draining }: HealthDeps): FastifyPluginAsync {
  return async (app) => {
    const noStore = { 'cache-control': 'no-store' }
    app.get('/health/live', { schema: { hide: true } }, async (_request, reply) =>
      reply.headers(noStore).send({ status: 'ok' }),
    )
    app.get('/health/ready', { schema: { hide: true } }, async (_request, reply) => {
      const storage = await database.healthy()
      const ready = storage && !draining.isDraining
      return reply
        .headers(noStore)
        .code(ready ? 200 : 503)
        .send({ status: ready ? 'ok' : draining.isDraining ? 'draining' : 'storage unavailable' })
    })
  }
}
