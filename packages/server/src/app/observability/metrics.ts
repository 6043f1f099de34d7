import type { EgressGateway, LaneStats, Runner } from '@linchpin/runner'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { RefreshBacklog } from '../../accounts/accounts/token-refresh/background/refresh-backlog-store.ts'
import type { RefreshCounts } from '../../accounts/accounts/token-refresh/refresh-counts.ts'
import type { Dispatcher } from '../../activity/webhooks/dispatch/dispatcher.ts'
import { ENDPOINT_STATES } from '../../activity/webhooks/webhook-endpoint.ts'
import type { FailedCheckLimiter } from '../../connect/connect-page/limits/failed-check-limiter.ts'
import type { IdempotencyCounts } from '../../platform/record/idempotency-counts.ts'
import type { Database } from '../../platform/storage/database.ts'
import { type AttemptCounts, registerAttemptMetrics } from './attempt-counts.ts'
import { createHttpMetrics, type HttpMetricsSources } from './http-metrics.ts'
import { byLabel, type Instruments } from './metrics/instruments.ts'
import type { WorkMetrics } from './metrics/work-metrics.ts'
import { type MetricsAccessDeps, requireMetricsAccess } from './metrics-access.ts'
import { type NodeMetricsSources, registerNodeMetrics } from './node-metrics.ts'
import type { Tracing } from './tracing/tracing.ts'

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
  readonly dispatcher: WebhookMetricsSource
}

/**
 * Creates the metrics and their route. Requests are labelled by route template, so no ids reach the metrics. Must be
 * called before the routes are registered.
 */
export function createMetrics(app: FastifyInstance, deps: MetricsDeps) {
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
  registerWebhookMetrics(instruments, deps.dispatcher)
  registerSpanMetrics(instruments, deps.tracing)
  deps.workMetrics?.register(registry)
  const routes: FastifyPluginAsync = async (scope) => {
    scope.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
      await requireMetricsAccess(deps, request)
      return reply
        .header('content-type', registry.contentType)
        .header('cache-control', 'no-store')
        .send(await registry.metrics())
    })
  }
  return { routes, createObserver }
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

function registerSpanMetrics(
  { counter }: Instruments,
  tracing: Pick<Tracing, 'counts'> | undefined,
): void {
  counter('linchpin_spans_exported_total', () => tracing?.counts().exported)
  counter('linchpin_spans_dropped_total', () => {
    const counts = tracing?.counts()
    return counts && byLabel('reason', { ...counts.dropped })
  })
}

interface RefreshMetricsSource {
  readonly refreshCounts: Pick<RefreshCounts, 'read'>
  readonly readRefreshBacklog: () => Promise<RefreshBacklog>
}

/** Registers the metrics of token refresh. Without labels for hosts: these would be unbounded and reveal tenants. */
function registerRefreshMetrics(
  { counter, gauge }: Instruments,
  { refreshCounts, readRefreshBacklog }: RefreshMetricsSource,
): void {
  counter('linchpin_token_refreshes_total', () => byLabel('outcome', { ...refreshCounts.read() }))
  // One read for both: the registry collects its metrics at the same time.
  let reading: Promise<RefreshBacklog> | undefined
  const readOnce = () => {
    reading ??= readRefreshBacklog().finally(() => {
      reading = undefined
    })
    return reading
  }
  gauge('linchpin_token_refreshes_overdue', async () => (await readOnce()).overdue)
  gauge('linchpin_token_refresh_lag_seconds', async () => (await readOnce()).lagMs / 1_000)
}

/** Registers the metrics of bundle calls and of the processes that run them. */
function registerRunnerMetrics({ gauge, counter }: Instruments, runner: Runner): void {
  const stats = () => runner.stats()
  gauge('linchpin_runner_children', () => stats().children)
  gauge('linchpin_runner_confined', () => Number(stats().isConfined))
  gauge('linchpin_runner_running_calls', () => stats().running)
  gauge('linchpin_runner_waiting_calls', () => stats().queued)
  gauge('linchpin_runner_throttled_workspaces', () => stats().throttledWorkspaces)
  counter('linchpin_runner_restarts_total', () => stats().restarts)
  counter('linchpin_runner_replacements_total', () => stats().replacements)
  counter('linchpin_runner_preemptions_total', () => stats().preemptions)
  counter('linchpin_runner_retries_total', () => stats().retries)
  gauge('linchpin_runner_calls', () =>
    Object.entries(stats().lanes).flatMap(([lane, { queued, computing, waiting }]) =>
      Object.entries({ queued, computing, waiting }).map(([state, value]) => ({
        labels: { lane, state },
        value,
      })),
    ),
  )
  const byLane = (read: (lane: LaneStats) => number) =>
    Object.entries(stats().lanes).map(([lane, each]) => ({ labels: { lane }, value: read(each) }))
  counter('linchpin_runner_started_calls_total', () => byLane(({ started }) => started))
  counter('linchpin_runner_queue_seconds_total', () => byLane(({ queuedMs }) => queuedMs / 1_000))
  counter('linchpin_runner_refused_calls_total', () => byLane(({ refused }) => refused))
}

type WebhookMetricsSource = Pick<Dispatcher, 'stats' | 'countStates' | 'readLagMs'>

/** Without labels for workspaces and endpoints: these would be unbounded and reveal tenants. */
function registerWebhookMetrics(
  { gauge, counter }: Instruments,
  { stats, countStates, readLagMs }: WebhookMetricsSource,
): void {
  gauge('linchpin_webhook_endpoints', async () => {
    const counts = await countStates()
    return ENDPOINT_STATES.map((state) => ({ labels: { state }, value: counts.get(state) ?? 0 }))
  })
  gauge('linchpin_webhook_lag_seconds', async () => (await readLagMs()) / 1_000)
  counter('linchpin_webhook_attempts_total', () => byLabel('outcome', { ...stats().attempts }))
  gauge('linchpin_webhook_requests_in_flight', () => stats().inFlight)
}
