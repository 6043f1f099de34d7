import type { EgressGateway, LaneStats, Runner } from '@linchpin/runner'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { RequestQueue } from '../auth/request-queue.ts'
import type { FailedCheckLimiter } from '../connect-page/submit/failed-check-limiter.ts'
import { isUpstreamResponse } from '../http/upstream-response-marker.ts'
import { type MetricsAccessDeps, requireMetricsAccess } from './metrics-access.ts'

export interface MetricsDeps extends MetricsAccessDeps {
  readonly runner: Runner
  readonly egressGateway: Pick<EgressGateway, 'circuits'>
  /** Fetches of the registry so far, by outcome. Absent: there is none. */
  readonly registryFetches?: Readonly<Record<string, number>> | undefined
  readonly failedChecks: Pick<FailedCheckLimiter, 'counts'>
  readonly requestQueue: Pick<RequestQueue, 'length' | 'rejectedCount'>
}

/** Counts requests by route template, never by address: ids stay out of metrics. Must be called before the routes. */
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
    help: 'Time to answer, by method, route and status; with by="provider" where the proxy handed a provider\'s answer on.',
    labelNames: ['method', 'route', 'status', 'by'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers: [registry],
  })
  requestQueueMetrics(registry, requestQueue)
  runnerGauges(registry, runner)
  circuitMetrics(registry, egressGateway)
  registryCounter(registry, registryFetches)
  failedCheckCounter(registry, failedChecks)
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    const by = isUpstreamResponse(reply.raw) ? { by: 'provider' } : {}
    seconds.observe(
      { method: request.method, route, status: reply.statusCode, ...by },
      reply.elapsedTime / 1_000,
    )
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
  return { registry, routes }
}

function requestQueueMetrics(registry: Registry, queue: MetricsDeps['requestQueue']): void {
  new Gauge({
    name: 'linchpin_http_queued_requests',
    help: 'Requests that wait for their turn among tenants.',
    registers: [registry],
    collect() {
      this.set(queue.length)
    },
  })
  new Counter({
    name: 'linchpin_http_refused_requests_total',
    help: 'Requests that were refused because their tenant had too many waiting.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(queue.rejectedCount)
    },
  })
}

function runnerGauges(registry: Registry, runner: Runner): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `linchpin_runner_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  gauge('children', 'Runner processes.', () => runner.stats().children)
  gauge('running_calls', 'Bundle calls running now.', () => runner.stats().running)
  gauge('waiting_calls', 'Bundle calls that wait for a place.', () => runner.stats().queued)
  gauge(
    'throttled_workspaces',
    'Workspaces whose calls run apart from those of others now.',
    () => {
      return runner.stats().throttledWorkspaces
    },
  )
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name: `linchpin_runner_${name}_total`,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  counter('restarts', 'Runner processes that were lost.', () => runner.stats().restarts)
  counter('replacements', 'Runner processes that were replaced as planned.', () => {
    return runner.stats().replacements
  })
  counter(
    'preemptions',
    'Calls that computed too long beside others and started again apart.',
    () => {
      return runner.stats().preemptions
    },
  )
  counter('retries', 'Calls that started again after another one took down their process.', () => {
    return runner.stats().retries
  })
  laneMetrics(registry, runner)
}

/** By lane: `credentials` are the calls that a request to a provider waits for, `checks` all others. */
function laneMetrics(registry: Registry, runner: Runner): void {
  const registers = [registry]
  const lanes = () => Object.entries(runner.stats().lanes)
  new Gauge({
    name: 'linchpin_runner_calls',
    help: 'Bundle calls now: queued for a place, computing, or waiting in a process, mostly for a provider.',
    labelNames: ['lane', 'state'],
    registers,
    collect() {
      for (const [lane, { queued, computing, waiting }] of lanes())
        for (const [state, count] of Object.entries({ queued, computing, waiting }))
          this.set({ lane, state }, count)
    },
  })
  const counter = (name: string, help: string, read: (stats: LaneStats) => number) =>
    new Counter({
      name: `linchpin_runner_${name}_total`,
      help,
      labelNames: ['lane'],
      registers,
      collect() {
        this.reset()
        for (const [lane, stats] of lanes()) this.inc({ lane }, read(stats))
      },
    })
  counter('started_calls', 'Bundle calls that got a place.', ({ started }) => started)
  counter(
    'queue_seconds',
    'Time that started calls were queued.',
    ({ queuedMs }) => queuedMs / 1_000,
  )
  counter('refused_calls', 'Bundle calls refused with 503 overloaded.', ({ refused }) => refused)
}

/** Without hosts and workspaces: they would make labels without end, and tell of tenants. */
function circuitMetrics(registry: Registry, egressGateway: Pick<EgressGateway, 'circuits'>): void {
  new Gauge({
    name: 'linchpin_egress_circuits_open',
    help: 'Circuits that refuse requests now, by host and workspace; a host that is dead for the whole node counts once more.',
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
    'Requests refused by an open circuit.',
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
    help: 'Checks of credentials on connect pages that failed, or were refused or delayed because of failures.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(counts())) this.inc({ outcome }, count)
    },
  })
}
