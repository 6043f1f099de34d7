import type { IncomingMessage, RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { createAccessTokenStore } from '../../access/auth/access-token-store.ts'
import { createAdmission } from '../../access/auth/admission.ts'
import { addAuditIp } from '../../access/auth/audit-ip.ts'
import { createAuthenticate } from '../../access/auth/authenticate.ts'
import { serveDirectReads } from '../../access/auth/direct-reads.ts'
import type { RateLimiter } from '../../access/auth/rate-limiter.ts'
import { createRequestRates } from '../../access/auth/request-rates.ts'
import { createRefusalObserver } from '../../activity/audit/observe-refusals.ts'
import { createRefusals, type RefusalCount } from '../../activity/audit/refusals.ts'
import { parseRates } from '../../platform/config/parse-rates.ts'
import type { DrainState } from '../../platform/http/drain.ts'
import { createHttpServer } from '../../platform/http/http-server.ts'
import type { Log } from '../../platform/http/log.ts'
import { rejectWhenStalled } from '../../platform/http/reject-when-stalled.ts'
import { addReferencedSchemas } from '../../platform/http/schema.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import { createHttpMetrics } from '../observability/http-metrics.ts'
import { registerSpanMetrics } from '../observability/metrics.ts'
import type { Tracing } from '../observability/tracing/tracing.ts'
import { translateError } from '../observability/translate-error.ts'
import { createReadServices, registerApi, registerReadRoutes } from '../reads.ts'
import type { Forwarder } from './forward-requests.ts'
import type { WorkerSettings } from './messages.ts'

export interface WorkerAppDeps
  extends Pick<WorkerSettings, 'trustProxy' | 'auditIp' | 'rates' | 'maxConnections'> {
  readonly limiter: RateLimiter
  readonly drainState: DrainState
  readonly database: Database
  readonly log: Log
  /** Absent without traces. */
  readonly tracing: Tracing | undefined
  readonly baseUrl: () => string
  readonly now: () => number
  readonly forwarder: Pick<Forwarder, 'forward'>
  /** Records refused requests. */
  readonly onRefused: (counts: readonly RefusalCount[]) => void
  /** Records the use of a token. */
  readonly onTokenUsed: (tokenId: Id<'tok'>, at: number) => void
}

/**
 * Builds the app of a worker: it serves the routes that need nothing but the database, by the same code as the main process,
 * and forwards every other request.
 */
export async function buildWorkerApp(deps: WorkerAppDeps) {
  const refusals = createRefusals({ ...deps, write: async (counts) => deps.onRefused(counts) })
  const services = { ...createReadServices(deps.database), ...deps, translateError }
  const { app, throwNotFound, isUnremarkable, requests, beginRequest, requestIds } =
    createHttpServer({
      ...services,
      onFailure: createRefusalObserver(refusals),
    })
  deps.tracing?.traceRequests(app, requestIds)
  addAuditIp(app, deps.auditIp)
  const rates = createRequestRates(deps.limiter, parseRates(deps.rates))
  const authenticate = createAuthenticate({
    rates,
    store: {
      ...createAccessTokenStore(deps.database),
      touchLastUsed: async (tokenId, at) => deps.onTokenUsed(tokenId, at),
    },
    now: deps.now,
    log: (error, message) => deps.log.warn({ err: error }, message),
  })
  const metrics = createHttpMetrics(app, { ...services, requests })
  registerSpanMetrics(metrics.instruments, deps.tracing)
  const isStalled = rejectWhenStalled(app)
  const admission = createAdmission(services.requestQueue)
  forwardOtherRequests(app, deps.forwarder)
  serveDirectReads(app, {
    authenticate,
    admission,
    rates,
    beginRequest,
    // A direct read passes no hooks, so it would not be in a trace.
    isUnremarkable: (request) =>
      deps.tracing === undefined && !isStalled() && isUnremarkable(request),
    getRequestId: requestIds.getRequestId,
    baseUrl: deps.baseUrl,
    createObserver: (route) => metrics.createObserver('GET', route, 200),
  })
  addReferencedSchemas(app)
  await registerApi(app, { authenticate, admission, rates, throwNotFound }, (api) =>
    registerReadRoutes(api, services),
  )
  app.addHook('onClose', () => refusals.stop())
  await app.ready()
  return { app, registry: metrics.registry, requests }
}

/** Must be called before the routes are registered, and before direct reads, which come first. */
function forwardOtherRequests(app: FastifyInstance, { forward }: Pick<Forwarder, 'forward'>): void {
  const paths: RegExp[] = []
  app.addHook('onRoute', ({ method, url }) => {
    // A parameter matches only what needs no decoding. Anything else is forwarded, which is always right.
    if (method === 'GET') paths.push(new RegExp(`^${url.replaceAll(/:\w+/g, '[\\w-]+')}(?:\\?|$)`))
  })
  const handle = app.server.listeners('request').at(-1) as RequestListener
  app.server.removeListener('request', handle)
  app.server.on('request', (request, response) => {
    if (isServedHere(request, paths)) handle.call(app.server, request, response)
    else forward(request, response)
  })
}

function isServedHere({ method, url = '' }: IncomingMessage, paths: readonly RegExp[]): boolean {
  return method === 'GET' && paths.some((path) => path.test(url))
}
