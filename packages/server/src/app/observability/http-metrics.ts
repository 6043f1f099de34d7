import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, type Histogram, Registry } from 'prom-client'
import type { RequestQueue } from '../../access/auth/request-queue.ts'
import type { DrainState, RequestsInProgress } from '../../platform/http/drain.ts'
import { getFailure, getLogFields } from '../../platform/http/log.ts'
import { isUpstreamResponse } from '../../platform/http/upstream-response-marker.ts'
import type { Database } from '../../platform/storage/database.ts'
import { createHistogram } from './metrics/create-histogram.ts'
import { byLabel, createInstruments, type Instruments } from './metrics/instruments.ts'
import { createOverloadScope, type OverloadScope } from './overload-scope.ts'

export type HttpMetricsQueue = Pick<RequestQueue, 'length' | 'rejectedCount'>

export interface HttpMetricsSources {
  readonly requestQueue: HttpMetricsQueue
  readonly requests: RequestsInProgress
  readonly drainState: DrainState
  readonly database: Pick<Database, 'connections' | 'onRead'>
}

/** Creates the metrics of a process and of the requests that it answers. */
export function createHttpMetrics(
  app: FastifyInstance,
  { requestQueue, requests, drainState, database }: HttpMetricsSources,
) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const seconds = createHistogram('linchpin_http_request_duration_seconds')
  registry.registerMetric(seconds)
  const instruments = createInstruments(registry)
  registerDatabaseMetrics(registry, instruments, database)
  const { gauge, counter } = instruments
  gauge('linchpin_http_queued_requests', () => requestQueue.length)
  counter('linchpin_http_refused_requests_total', () => requestQueue.rejectedCount)
  gauge('linchpin_http_requests_in_progress', () => requests.size)
  gauge('linchpin_draining', () => Number(drainState.isDraining))
  const overloads = countOverloads()
  counter('linchpin_overloaded_responses_total', () => byLabel('scope', overloads.counts))
  const findSeries = createSeries(seconds)
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request
    const isOfTenant = overloads.record(request, reply) === 'tenant'
    const by = isUpstreamResponse(reply.raw) ? 'provider' : isOfTenant ? 'tenant' : undefined
    findSeries(method, routeOptions.url, reply.statusCode, by).observe(reply.elapsedTime / 1_000)
    done()
  })
  /** For successful reads of one route that the framework does not see. */
  const createObserver = (route: string) => {
    const series = findSeries('GET', route, 200)
    return (duration: number) => series.observe(duration)
  }
  return { registry, instruments, createObserver }
}

/** Counts the requests that were rejected with `overloaded`, those of tenants that send more than their share apart. */
function countOverloads() {
  const counts: Record<OverloadScope, number> = { tenant: 0, service: 0 }
  const findScope = createOverloadScope(() => performance.now())
  return {
    counts,
    /** Undefined for all other requests. */
    record(request: FastifyRequest, reply: FastifyReply): OverloadScope | undefined {
      if (reply.statusCode !== 503) return undefined
      const { workspaceId, tokenId, error } = getLogFields(request)
      if ((getFailure(request)?.code ?? error) !== 'overloaded') return undefined
      const scope = findScope(workspaceId ?? tokenId)
      counts[scope] += 1
      return scope
    },
  }
}

/** Keeps the labels of each route and status, so that no request makes them again. */
function createSeries(histogram: Histogram) {
  const children = new Map<string, Pick<Histogram.Internal<string>, 'observe'>>()
  return (method: string, route = 'unknown', status: number, by?: 'provider' | 'tenant') => {
    const key = `${method} ${status} ${by} ${route}`
    let child = children.get(key)
    if (child === undefined) {
      child = histogram.labels({ method, route, status, ...(by === undefined ? {} : { by }) })
      children.set(key, child)
    }
    return child
  }
}

/** Registers the metrics of connections and reads. */
function registerDatabaseMetrics(
  registry: Registry,
  { gauge }: Instruments,
  database: Pick<Database, 'connections' | 'onRead'>,
): void {
  const reads = createHistogram('linchpin_database_read_duration_seconds')
  registry.registerMetric(reads)
  database.onRead((kind, seconds) => reads.observe({ kind }, seconds))
  gauge('linchpin_database_connections', () =>
    database.connections().flatMap(({ pool, used, idle }) => [
      { labels: { pool, state: 'used' }, value: used },
      { labels: { pool, state: 'idle' }, value: idle },
    ]),
  )
  gauge('linchpin_database_waiting', () =>
    database.connections().map(({ pool, waiting }) => ({ labels: { pool }, value: waiting })),
  )
}
