import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { RequestQueue } from '../auth/request-queue.ts'
import type { DrainState, RequestsInProgress } from '../http/drain.ts'
import { isUpstreamResponse } from '../http/upstream-response-marker.ts'

export type HttpMetricsQueue = Pick<RequestQueue, 'length' | 'rejectedCount'>

export interface HttpMetricsSources {
  readonly requestQueue: HttpMetricsQueue
  readonly requests: RequestsInProgress
  readonly drainState: DrainState
}

/** Creates the metrics of a process and of the requests that it answers. */
export function createHttpMetrics(
  app: FastifyInstance,
  { requestQueue, requests, drainState }: HttpMetricsSources,
) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const seconds = new Histogram({
    name: 'linchpin_http_request_duration_seconds',
    help: 'Response time by method, route and status; with by="provider" for responses of providers that the proxy forwarded.',
    labelNames: ['method', 'route', 'status', 'by'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers: [registry],
  })
  requestQueueMetrics(registry, requestQueue)
  gauge(
    registry,
    'linchpin_http_requests_in_progress',
    'Requests without a complete response.',
    () => requests.size,
  )
  gauge(registry, 'linchpin_draining', 'Processes that are about to stop: 1, else 0.', () =>
    Number(drainState.isDraining),
  )
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
  return { registry, createObserver }
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

function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    ...{ name, help, registers: [registry] },
    collect() {
      this.set(read())
    },
  })
}

function requestQueueMetrics(registry: Registry, queue: HttpMetricsQueue): void {
  gauge(
    registry,
    'linchpin_http_queued_requests',
    'Requests in the fair queue of tenants.',
    () => queue.length,
  )
  new Counter({
    name: 'linchpin_http_refused_requests_total',
    help: 'Requests that were rejected because their tenant had too many queued.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(queue.rejectedCount)
    },
  })
}
