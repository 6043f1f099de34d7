import { EgressError, type EgressGateway, type EgressPolicy } from '@linchpin/runner'
import { Counter, Gauge, type Histogram, type Registry } from 'prom-client'
import { type StatisticsCounter, UNCOUNTED } from '../../../activity/statistics/statistics.ts'
import { ApiError } from '../../../platform/errors.ts'
import {
  type AttemptCounter,
  type CountedAttempt,
  toCountedCode,
} from '../../../platform/record/attempt.ts'
import type { ObserveJob } from '../../../platform/rounds.ts'
import type { Database } from '../../../platform/storage/database.ts'
import { StorageError } from '../../../platform/storage/storage-error.ts'
import { createHistogram, type Instruments } from './instruments.ts'
import { describeMetric } from './metric-table.ts'

/** Measures work that has no request: created before the parts that it measures. */
export interface WorkMetrics {
  /** The same gateway, with measured requests. */
  observeEgress(gateway: EgressGateway): EgressGateway
  /** The same database, with measured transactions. */
  observeDatabase(database: Database): Database
  /** The same job, with counted runs. */
  readonly observeJob: ObserveJob
  /** The names of the jobs that run. */
  listRunningJobs(): string[]
  register(registry: Registry): void
}

/** @param now epoch milliseconds */
export function createWorkMetrics(now: () => number): WorkMetrics {
  const egress = createHistogram('linchpin_egress_request_duration_seconds')
  const transactions = createHistogram('linchpin_database_transaction_duration_seconds')
  const jobs = createJobMetrics(now)
  const send = <T extends { readonly status: number }>(
    { purpose }: Pick<EgressPolicy, 'purpose'>,
    work: () => Promise<T>,
  ) => measure(egress, toStatusClass, work, { purpose })
  return {
    observeEgress: (gateway) => ({
      ...gateway,
      request: (request, policy) => send(policy, () => gateway.request(request, policy)),
      stream: (request, policy) => send(policy, () => gateway.stream(request, policy)),
    }),
    observeDatabase: (database) => ({
      ...database,
      transaction: (work, options) =>
        measure(
          transactions,
          () => 'committed',
          () => database.transaction(work, options),
          {},
        ),
    }),
    observeJob: jobs.observe,
    listRunningJobs: jobs.listRunning,
    register(registry) {
      for (const metric of [egress, transactions, ...jobs.metrics]) registry.registerMetric(metric)
    },
  }
}

/** Observes how long work takes, with its outcome as a label. */
async function measure<T>(
  metric: Histogram,
  toOutcome: (result: T) => string,
  work: () => Promise<T>,
  labels: Readonly<Record<string, string>>,
): Promise<T> {
  const startedAt = performance.now()
  const observe = (outcome: string) =>
    metric.observe({ ...labels, outcome }, (performance.now() - startedAt) / 1_000)
  try {
    const result = await work()
    observe(toOutcome(result))
    return result
  } catch (error) {
    observe(toFailure(error))
    throw error
  }
}

function toStatusClass({ status }: { readonly status: number }): string {
  return `${Math.floor(status / 100)}xx`
}

function toFailure(error: unknown): string {
  if (error instanceof EgressError) return error.code
  if (error instanceof ApiError) return 'rolled_back'
  if (!(error instanceof StorageError)) return 'failed'
  if (error.kind === 'unavailable' || error.kind === 'full') return error.kind
  return error.kind === 'unique' || error.kind === 'reference' ? 'rolled_back' : 'failed'
}

function createJobMetrics(now: () => number) {
  const runs = new Counter({
    ...describeMetric('linchpin_background_job_runs_total'),
    registers: [],
  })
  const seconds = new Counter({
    ...describeMetric('linchpin_background_job_seconds_total'),
    registers: [],
  })
  const lastSuccess = new Gauge({
    ...describeMetric('linchpin_background_job_last_success_timestamp_seconds'),
    registers: [],
  })
  const running: string[] = []
  return {
    metrics: [runs, seconds, lastSuccess],
    listRunning: () => [...running],
    observe<A extends readonly unknown[], T>(job: string, run: (...args: A) => Promise<T>) {
      // As if it had just succeeded: a job that never does is found by its age, too.
      lastSuccess.set({ name: job }, now() / 1_000)
      return async (...args: A): Promise<T> => {
        const startedAt = performance.now()
        let outcome = 'failed'
        running.push(job)
        try {
          const result = await run(...args)
          outcome = 'done'
          lastSuccess.set({ name: job }, now() / 1_000)
          return result
        } finally {
          running.splice(running.indexOf(job), 1)
          runs.inc({ name: job, outcome })
          seconds.inc({ name: job }, (performance.now() - startedAt) / 1_000)
        }
      }
    },
  }
}

/** The attempts to connect accounts that this process has seen, by what its metrics tell apart. */
export interface AttemptCounts extends AttemptCounter {
  list(): Iterable<{ readonly labels: Readonly<Record<string, string>>; readonly count: number }>
}

/**
 * Counts in memory. Names that a tenant or a visitor chooses are no labels: they would be unbounded and reveal tenants. All
 * definitions outside the catalogue are `custom`, and a code that is not documented is `other`.
 */
export function createAttemptCounts(statistics: StatisticsCounter = UNCOUNTED): AttemptCounts {
  const entries = new Map<string, { labels: Record<string, string>; count: number }>()
  const tools = new Set<string>()
  const nameTool = (definition: CountedAttempt['definition']) => {
    if (definition === undefined) return 'unknown'
    const { key, latestVersion } = definition
    if (latestVersion === null || !KEY.test(key)) return 'custom'
    if (tools.size < MAX_TOOLS) tools.add(key)
    return tools.has(key) ? key : 'other'
  }
  return {
    add({ workspaceId, definition, method, outcome, code }) {
      const labels = {
        definition: nameTool(definition),
        method,
        outcome,
        code: code === null ? '' : toCountedCode(code),
      }
      if (workspaceId !== null) {
        const origin = { workspaceId, definitionId: definition?.definitionId ?? null }
        statistics.add({ ...origin, metric: 'attempts', code: outcome })
        if (outcome === 'connected') statistics.add({ ...origin, metric: 'connects' })
        if (outcome === 'failed')
          statistics.add({ ...origin, metric: 'connect_failures', code: labels.code })
      }
      const key = Object.values(labels).join(' ')
      const entry = entries.get(key)
      if (entry === undefined) entries.set(key, { labels, count: 1 })
      else entry.count += 1
    },
    list: () => entries.values(),
  }
}

const KEY = /^[\w.-]{1,100}$/
/** A registry may have any number. */
const MAX_TOOLS = 1_000

/** Registers the metric of attempts. */
export function registerAttemptMetrics({ counter }: Instruments, counts: AttemptCounts): void {
  counter('linchpin_connect_attempts_total', () =>
    [...counts.list()].map(({ labels, count }) => ({ labels, value: count })),
  )
}
