import type { EgressGateway, Runner } from '@linchpin/runner'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { FailedCheckLimiter } from '../connect-page/limits/failed-check-limiter.ts'
import { type AttemptCounts, registerAttemptMetrics } from './attempt-counts.ts'
import { createHttpMetrics, type HttpMetricsSources } from './http-metrics.ts'
import { type MetricsAccessDeps, requireMetricsAccess } from './metrics-access.ts'
import { type RefreshMetricsSource, registerRefreshMetrics } from './refresh-metrics.ts'
import { registerRunnerMetrics } from './runner-metrics.ts'
import { type MetricValues, sumMetrics } from './sum-metrics.ts'
import { registerWebhookMetrics, type WebhookMetricsSource } from './webhook-metrics.ts'

export interface MetricsDeps extends MetricsAccessDeps, HttpMetricsSources, RefreshMetricsSource {
  readonly runner: Runner
  readonly egressGateway: Pick<EgressGateway, 'circuits'>
  /** Fetches of the registry so far, by outcome. Absent without a registry. */
  readonly registryFetches?: Readonly<Record<string, number>> | undefined
  readonly failedChecks: Pick<FailedCheckLimiter, 'counts'>
  readonly attemptCounts: AttemptCounts
  /** Absent in processes that send no webhooks. */
  readonly dispatcher?: WebhookMetricsSource | undefined
  /** The metrics of the other processes of this node. Default: there are none. */
  readonly collectWorkerMetrics?: CollectWorkerMetrics | undefined
}

export type CollectWorkerMetrics = () => Promise<readonly MetricValues[]>

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
    attemptCounts,
    refreshCounts,
    readRefreshBacklog,
    requestQueue,
    requests,
    drainState,
    dispatcher,
    collectWorkerMetrics = async () => [],
    ...access
  }: MetricsDeps,
) {
  const { registry, createObserver } = createHttpMetrics(app, {
    requestQueue,
    requests,
    drainState,
  })
  registerRunnerMetrics(registry, runner)
  circuitMetrics(registry, egressGateway)
  registryCounter(registry, registryFetches)
  failedCheckCounter(registry, failedChecks)
  registerAttemptMetrics(registry, attemptCounts)
  registerRefreshMetrics(registry, { refreshCounts, readRefreshBacklog })
  if (dispatcher !== undefined) registerWebhookMetrics(registry, dispatcher)
  const routes: FastifyPluginAsync = async (scope) => {
    scope.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
      await requireMetricsAccess(access, request)
      return reply
        .header('content-type', registry.contentType)
        .header('cache-control', 'no-store')
        .send(await readMetrics(registry, await collectWorkerMetrics()))
    })
  }
  return { registry, routes, createObserver }
}

async function readMetrics(
  registry: Registry,
  ofWorkers: readonly MetricValues[],
): Promise<string> {
  if (ofWorkers.length === 0) return registry.metrics()
  return sumMetrics([await registry.getMetricsAsJSON(), ...ofWorkers]).metrics()
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
