import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, type Histogram, Registry } from 'prom-client'
import type { RequestQueue } from '../auth/request-queue.ts'
import type { DrainState, RequestsInProgress } from '../http/drain.ts'
import { isUpstreamResponse } from '../http/upstream-response-marker.ts'
import type { Database } from '../storage/database.ts'
import { registerDatabaseMetrics } from './database-metrics.ts'
import { createHistogram } from './metrics/create-histogram.ts'
import { createInstruments } from './metrics/instruments.ts'

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
  const observe = createObserve(seconds)
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request
    const by = isUpstreamResponse(reply.raw) ? 'provider' : undefined
    observe(method, routeOptions.url, reply.statusCode, reply.elapsedTime / 1_000, by)
    done()
  })
  /** For requests of one route that the framework does not see. */
  const createObserver = (method: string, route: string, status: number) => {
    const child = seconds.labels({ method, route, status })
    return (duration: number) => child.observe(duration)
  }
  return { registry, instruments, createObserver }
}

/** Keeps the labels of each route and status, so that no request makes them again. */
function createObserve(histogram: Histogram) {
  const children = new Map<string, Pick<Histogram.Internal<string>, 'observe'>>()
  return (
    method: string,
    route = 'unknown',
    status: number,
    seconds: number,
    by?: 'provider',
  ): void => {
    const key = `${method} ${status} ${by} ${route}`
    let child = children.get(key)
    if (child === undefined) {
      child = histogram.labels({ method, route, status, ...(by === undefined ? {} : { by }) })
      children.set(key, child)
    }
    child.observe(seconds)
  }
}
