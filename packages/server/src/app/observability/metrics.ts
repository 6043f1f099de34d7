import { hash, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { EgressGateway, LaneStats, Runner } from '@linchpin/runner'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, type Histogram, Registry } from 'prom-client'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Authenticate } from '../../access/auth/authenticate.ts'
import { requireAdmin } from '../../access/auth/caller.ts'
import type { RequestQueue } from '../../access/auth/request-queue.ts'
import type { AccountStatusCounts } from '../../accounts/accounts/account-status-count-store.ts'
import type { RefreshBacklog } from '../../accounts/accounts/token-refresh/background/claim-store.ts'
import type { RefreshCounts } from '../../accounts/accounts/token-refresh/refresh-deps.ts'
import type { RequestLog } from '../../activity/requests/request-log.ts'
import type { Statistics } from '../../activity/statistics/statistics.ts'
import type { Dispatcher } from '../../activity/webhooks/dispatch/dispatcher.ts'
import { ENDPOINT_STATES } from '../../activity/webhooks/webhook-endpoint.ts'
import type { FailedCheckLimiter } from '../../connect/connect-page/failed-check-limiter.ts'
import { isLoopbackHost } from '../../platform/config/url.ts'
import { getRequestedUrl } from '../../platform/http/browser-request.ts'
import type { DrainState, RequestsInProgress } from '../../platform/http/drain.ts'
import { getFailure, getLogFields, isUpstreamResponse } from '../../platform/http/log.ts'
import type { IdempotencyCounts } from '../../platform/record/idempotency-key-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { OutdatedDataKeys } from '../../platform/vault/key-store.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import {
  byLabel,
  createHistogram,
  createInstruments,
  type Instruments,
} from './metrics/instruments.ts'
import {
  type AttemptCounts,
  registerAttemptMetrics,
  type WorkMetrics,
} from './metrics/work-metrics.ts'
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
  readonly requestLog: Pick<RequestLog, 'counts'>
  readonly statistics: Pick<Statistics, 'dropped'>
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
  instruments.counter('linchpin_request_log_requests_total', () =>
    byLabel('outcome', { ...deps.requestLog.counts }),
  )
  instruments.counter('linchpin_statistics_dropped_total', () => deps.statistics.dropped)
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
        .send(await Registry.merge([collectProcessMetrics(), registry]).metrics())
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

type HttpMetricsQueue = Pick<RequestQueue, 'length' | 'rejectedCount'>

interface HttpMetricsSources {
  readonly requestQueue: HttpMetricsQueue
  readonly requests: RequestsInProgress
  readonly drainState: DrainState
  readonly database: Pick<Database, 'connections' | 'onRead'>
}

/**
 * The metrics of this process, which all apps in it share: their observers of the garbage collector and of the event loop cannot be
 * stopped, so that an app with observers of its own would stay in memory after it is closed.
 */
let processMetrics: Registry | undefined

function collectProcessMetrics(): Registry {
  if (processMetrics !== undefined) return processMetrics
  processMetrics = new Registry()
  collectDefaultMetrics({ register: processMetrics })
  return processMetrics
}

/** Creates the metrics of the requests that an app answers, and of its database. */
function createHttpMetrics(
  app: FastifyInstance,
  { requestQueue, requests, drainState, database }: HttpMetricsSources,
) {
  const registry = new Registry()
  // From now on, not from the first request for metrics.
  collectProcessMetrics()
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
    const ok = findSeries('GET', route, 200)
    return (duration: number, status: 200 | 304) =>
      (status === 200 ? ok : findSeries('GET', route, status)).observe(duration)
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

interface MetricsAccessDeps {
  readonly authenticate: Authenticate
  /** LINCHPIN_METRICS_TOKEN; undefined: loopback needs no token. */
  readonly metricsToken?: string | undefined
  /** The public base URL. */
  readonly baseUrl: () => string
}

/**
 * Authorizes a request for metrics: it has LINCHPIN_METRICS_TOKEN, or an admin token that is bound to no workspace, or,
 * if LINCHPIN_METRICS_TOKEN is not set and the public URL is on loopback, comes from loopback with a loopback Host header
 * and not through a proxy.
 *
 * @throws ApiError `token_missing`, `token_invalid`, `insufficient_scope`
 */
async function requireMetricsAccess(
  { authenticate, metricsToken, baseUrl }: MetricsAccessDeps,
  request: FastifyRequest,
): Promise<void> {
  const { authorization } = request.headers
  if (
    metricsToken === undefined
      ? isLocalRequest(request) && isLoopbackHost(new URL(baseUrl()).hostname)
      : isBearerToken(authorization, metricsToken)
  )
    return
  requireAdmin(await authenticate(authorization, request.id))
}

/** Hashes both first, so that the comparison takes constant time for any length. */
function isBearerToken(authorization: string | undefined, token: string): boolean {
  const presentedToken = /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1] ?? ''
  return timingSafeEqual(hash('sha256', presentedToken, 'buffer'), hash('sha256', token, 'buffer'))
}

/**
 * Every request through a proxy on this machine comes from loopback, and most have a public Host or a header of the
 * proxy. By default, nginx sends neither, or passes on whatever Host a client sends: only the public URL reveals the
 * proxy.
 */
function isLocalRequest(request: FastifyRequest): boolean {
  const { headers, socket } = request
  const name = getRequestedUrl({ headers }, 'http:')?.hostname ?? ''
  return isLoopback(socket.remoteAddress) && isLoopbackHost(name) && !isForwarded(headers)
}

function isLoopback(address: string | undefined): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address ?? '')
}

function isForwarded(headers: Readonly<Record<string, unknown>>): boolean {
  const names = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']
  return names.some((name) => name in headers)
}

interface NodeMetricsSources {
  readonly database: Pick<Database, 'measureSize'>
  /** Whether the node is ready. */
  readonly isReady: () => Promise<boolean>
  readonly countAccountStatuses: () => Promise<AccountStatusCounts>
  readonly vault: Pick<Vault, 'encryptionKeyId'>
  /** For how long the oldest event has waited for its number, in milliseconds. */
  readonly readEventLagMs: () => Promise<number>
  readonly countOutdatedKeys: () => Promise<OutdatedDataKeys>
  readonly readBuild: ReturnType<typeof createBuildReader>
}

/** Registers the metrics that a node has once, whichever process answers. */
function registerNodeMetrics({ gauge }: Instruments, sources: NodeMetricsSources): void {
  const { database, isReady, countAccountStatuses, vault, countOutdatedKeys, readBuild } = sources
  gauge('linchpin_build_info', () => [
    { labels: { ...readBuild(), node: process.versions.node }, value: 1 },
  ])
  gauge('linchpin_ready', async () => Number(await isReady()))
  gauge('linchpin_encryption_key_info', () => [
    { labels: { key_id: vault.encryptionKeyId }, value: 1 },
  ])
  gauge('linchpin_data_keys_outdated', async () => {
    const counts = await countOutdatedKeys()
    return byLabel('state', { other_key: counts.otherKey, being_replaced: counts.beingReplaced })
  })
  gauge('linchpin_accounts', async () => byLabel('status', await countAccountStatuses()))
  gauge('linchpin_event_lag_seconds', async () => (await sources.readEventLagMs()) / 1_000)
  gauge('linchpin_database_size_bytes', async () => (await database.measureSize()).databaseBytes)
  gauge('linchpin_database_wal_bytes', async () => (await database.measureSize()).walBytes)
  gauge('linchpin_database_free_bytes', async () => (await database.measureSize()).freeBytes)
}

/** Whom an overload concerns: a tenant that sends more than its share, or all tenants. */
type OverloadScope = 'tenant' | 'service'

/**
 * Returns a function that tells what a request shows that was just rejected with `overloaded`: `service` if those of at least
 * three tenants were rejected within the last minute, or it has none, because requests are rejected before they have a tenant.
 *
 * @param now a monotonic clock in milliseconds
 */
export function createOverloadScope(
  now: () => number,
): (tenant: string | undefined) => OverloadScope {
  /** When a request of a tenant was rejected last; the latest is last. */
  const rejectedAt = new Map<string, number>()
  return (tenant) => {
    if (tenant === undefined) return 'service'
    const at = now()
    rejectedAt.delete(tenant)
    rejectedAt.set(tenant, at)
    for (const [other, last] of rejectedAt)
      if (last <= at - WINDOW_MS || rejectedAt.size > TENANTS_OF_SERVICE) rejectedAt.delete(other)
    return rejectedAt.size >= TENANTS_OF_SERVICE ? 'service' : 'tenant'
  }
}

const WINDOW_MS = 60_000
const TENANTS_OF_SERVICE = 3

const ROOT = new URL('../../../../../', import.meta.url)

/** What runs: the commit is looked up once. */
export function createBuildReader(): () => { readonly version: string; readonly commit: string } {
  let commit: string | undefined
  return () => {
    commit ??= findCommit()
    return { version: packageJson.version, commit }
  }
}

/** The commit of the running code: that of the release, or that of a clone of the repository; `unknown` in any other folder. */
export function findCommit(root: URL = ROOT): string {
  try {
    const { commit } = JSON.parse(readFileSync(new URL('release.json', root), 'utf8'))
    return String(commit)
  } catch {
    return findClonedCommit(root)
  }
}

function findClonedCommit(root: URL): string {
  const read = (file: string) => readFileSync(new URL(`.git/${file}`, root), 'utf8').trim()
  try {
    const head = read('HEAD')
    const commit = head.startsWith('ref: ') ? read(head.slice('ref: '.length)) : head
    return /^[\da-f]{40,64}$/.test(commit) ? commit : 'unknown'
  } catch {
    return 'unknown'
  }
}
