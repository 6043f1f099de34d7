import type { EgressGateway, Runner } from '@linchpin/runner'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { RequestQueue } from '../auth/request-queue.ts'
import type { FailedCheckLimiter } from '../connect-page/limits/failed-check-limiter.ts'
import { isUpstreamResponse } from '../http/upstream-response-marker.ts'
import { type MetricsAccessDeps, requireMetricsAccess } from './metrics-access.ts'
import { registerRunnerMetrics } from './runner-metrics.ts'

export interface MetricsDeps extends MetricsAccessDeps {
  readonly runner: Runner
  readonly egressGateway: Pick<EgressGateway, 'circuits'>
  /** Fetches of the registry so far, by outcome. Absent without a registry. */
  readonly registryFetches?: Readonly<Record<string, number>> | undefined
  readonly failedChecks: Pick<FailedCheckLimiter, 'counts'>
  readonly requestQueue: Pick<RequestQueue, 'length' | 'rejectedCount'>
}

/**
 * Creates the metrics and their route. Requests are labelled by route template, so no ids reach the metrics. Must be
 * called before the routes are registered.
 */
export function createMetrics(
  app: FastifyInstance,
  {
    runner,
    egressGateway,
    registryFetches = {},
    failedChecks,
    requestQueue,
    ...access
  }: MetricsDeps,
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
  registerRunnerMetrics(registry, runner)
  circuitMetrics(registry, egressGateway)
  registryCounter(registry, registryFetches)
  failedCheckCounter(registry, failedChecks)
  const observe = createObserve(seconds)
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request
    const by = isUpstreamResponse(reply.raw) ? 'provider' : undefined
    observe(method, routeOptions.url, reply.statusCode, reply.elapsedTime / 1_000, by)
    done()
  })

  const routes: FastifyPluginAsync = async (scope) => {
    scope.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
      await requireMetricsAccess(access, request)
      return reply
        .header('content-type', registry.contentType)
        .header('cache-control', 'no-store')
        .send(await registry.metrics())
    })
  }
  /** For requests of one route that the framework does not see. */
  const createObserver = (method: string, route: string, status: number) => {
    const child = seconds.labels({ method, route, status })
    return (duration: number) => child.observe(duration)
  }
  return { registry, routes, createObserver }
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

function requestQueueMetrics(registry: Registry, queue: MetricsDeps['requestQueue']): void {
  new Gauge({
    name: 'linchpin_http_queued_requests',
    help: 'Requests in the fair queue of tenants.',
    registers: [registry],
    collect() {
      this.set(queue.length)
    },
  })
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

/** Without labels for hosts and workspaces: these would be unbounded and reveal tenants. */
function circuitMetrics(registry: Registry, egressGateway: Pick<EgressGateway, 'circuits'>): void {
  new Gauge({
    name: 'linchpin_egress_circuits_open',
    help: 'Circuits that reject requests now, one per host and workspace, plus one per host that is unreachable for the whole node.',
    registers: [registry],
    collect() {
      this.set(egressGateway.circuits().open)
    },
  })
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name: `linchpin_egress_circuit_${name}_total`,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  counter('openings', 'Circuits that opened.', () => egressGateway.circuits().opened)
  counter(
    'refusals',
    'Requests rejected by an open circuit.',
    () => egressGateway.circuits().refused,
  )
}

function registryCounter(registry: Registry, fetches: Readonly<Record<string, number>>): void {
  new Counter({
    name: 'linchpin_registry_fetches_total',
    help: 'Fetches of the registry of definitions by this node.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(fetches)) this.inc({ outcome }, count)
    },
  })
}

function failedCheckCounter(
  registry: Registry,
  { counts }: Pick<FailedCheckLimiter, 'counts'>,
): void {
  new Counter({
    name: 'linchpin_link_checks_total',
    help: 'Credential checks on connect pages that failed, or were rejected or delayed because of failures.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(counts())) this.inc({ outcome }, count)
    },
  })
}
