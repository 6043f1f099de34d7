import type { EgressGateway, Runner } from '@linchpin/runner'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { Registry } from 'prom-client'
import type { FailedCheckLimiter } from '../../connect/connect-page/limits/failed-check-limiter.ts'
import type { IdempotencyCounts } from '../../platform/record/idempotency-counts.ts'
import type { Database } from '../../platform/storage/database.ts'
import { type AttemptCounts, registerAttemptMetrics } from './attempt-counts.ts'
import { createHttpMetrics, type HttpMetricsSources } from './http-metrics.ts'
import { byLabel, type Instruments } from './metrics/instruments.ts'
import type { WorkMetrics } from './metrics/work-metrics.ts'
import { type MetricsAccessDeps, requireMetricsAccess } from './metrics-access.ts'
import { type NodeMetricsSources, registerNodeMetrics } from './node-metrics.ts'
import { type RefreshMetricsSource, registerRefreshMetrics } from './refresh-metrics.ts'
import { registerRunnerMetrics } from './runner-metrics.ts'
import { type MetricValues, sumMetrics } from './sum-metrics.ts'
import type { Tracing } from './tracing/tracing.ts'
import { registerWebhookMetrics, type WebhookMetricsSource } from './webhook-metrics.ts'

export interface MetricsDeps
  extends MetricsAccessDeps,
    HttpMetricsSources,
    RefreshMetricsSource,
    NodeMetricsSources {
  readonly database: Pick<Database, 'connections' | 'measureSize' | 'onRead'>
  readonly runner: Runner
  readonly egressGateway: Pick<EgressGateway, 'circuits'>
  /** Fetches of the registry so far, by outcome. Absent without a registry. */
  readonly registryFetches?: Readonly<Record<string, number>> | undefined
  readonly failedChecks: Pick<FailedCheckLimiter, 'counts'>
  readonly attemptCounts: AttemptCounts
  readonly idempotencyCounts: IdempotencyCounts
  /** What was measured of the database, outgoing requests and background jobs. Absent in tests of other parts. */
  readonly workMetrics?: WorkMetrics | undefined
  /** Absent without traces. */
  readonly tracing?: Pick<Tracing, 'counts'> | undefined
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
export function createMetrics(app: FastifyInstance, deps: MetricsDeps) {
  const { collectWorkerMetrics = async () => [] } = deps
  const { registry, instruments, createObserver } = createHttpMetrics(app, deps)
  registerNodeMetrics(instruments, deps)
  registerRunnerMetrics(instruments, deps.runner)
  registerCircuitMetrics(instruments, deps.egressGateway)
  const { registryFetches = {}, failedChecks } = deps
  instruments.counter('linchpin_registry_fetches_total', () => byLabel('outcome', registryFetches))
  instruments.counter('linchpin_link_checks_total', () =>
    byLabel('outcome', { ...failedChecks.counts() }),
  )
  instruments.counter('linchpin_idempotency_keys_total', () =>
    byLabel('outcome', { ...deps.idempotencyCounts }),
  )
  registerAttemptMetrics(instruments, deps.attemptCounts)
  registerRefreshMetrics(instruments, deps)
  if (deps.dispatcher !== undefined) registerWebhookMetrics(instruments, deps.dispatcher)
  registerSpanMetrics(instruments, deps.tracing)
  deps.workMetrics?.register(registry)
  const routes: FastifyPluginAsync = async (scope) => {
    scope.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
      await requireMetricsAccess(deps, request)
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
function registerCircuitMetrics(
  { gauge, counter }: Instruments,
  { circuits }: Pick<EgressGateway, 'circuits'>,
): void {
  gauge('linchpin_egress_circuits_open', () => circuits().open)
  counter('linchpin_egress_circuit_openings_total', () => circuits().opened)
  counter('linchpin_egress_circuit_refusals_total', () => circuits().refused)
}

/** Registers the metrics of the spans of one process. */
export function registerSpanMetrics(
  { counter }: Instruments,
  tracing: Pick<Tracing, 'counts'> | undefined,
): void {
  counter('linchpin_spans_exported_total', () => tracing?.counts().exported)
  counter('linchpin_spans_dropped_total', () => {
    const counts = tracing?.counts()
    return counts && byLabel('reason', { ...counts.dropped })
  })
}
