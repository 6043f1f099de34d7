import type { FastifyInstance } from 'fastify'
import { createAccessTokenStore } from '../../access/auth/access-token-store.ts'
import type { NodeLimiter } from '../../access/auth/node-limiter.ts'
import { createCollectedStore } from '../../activity/audit/collected-store.ts'
import { createRefusals } from '../../activity/audit/refusals.ts'
import { formatRates } from '../../platform/config/parse-rates.ts'
import type { Log } from '../../platform/http/log.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { CollectWorkerMetrics } from '../observability/metrics.ts'
import { receiveForwardedRequests } from '../workers/receive-forwarded.ts'
import { startWorkers } from '../workers/worker-pool.ts'
import type { WorkerProgram } from '../workers/worker-process.ts'
import type { Config } from './environment.ts'
import type { SendSpans } from './open-measurements.ts'
import { findDatabaseFile, getPostgresOptions } from './open-services.ts'

export interface OpenWorkersOptions {
  readonly app: FastifyInstance
  readonly database: Database
  readonly baseUrl: () => string
  readonly log: Log
  readonly isPretty: boolean
  readonly onFatal: (error: Error) => void
  readonly now: () => number
  readonly program: WorkerProgram
  readonly limiter: NodeLimiter
  /** Absent without traces. */
  readonly sendSpans: SendSpans | undefined
}

/** The other processes of this node. */
export interface OpenWorkers {
  readonly collectMetrics: CollectWorkerMetrics
  /** Lets workers tell clients to close their connections. */
  drain(): void
  /** Resolves when the workers have finished their requests and ended. */
  stop(): Promise<void>
  /** As `WorkerPool.countRequests`. */
  countRequests(): number
}

/** Starts `LINCHPIN_WORKERS - 1` processes that answer reads on the socket of the app, which must be listening. */
export async function openWorkers(
  config: Config,
  { app, database, baseUrl, log, isPretty, sendSpans, ...options }: OpenWorkersOptions,
): Promise<OpenWorkers> {
  const forwarded = await receiveForwardedRequests(app)
  const accessTokens = createAccessTokenStore(database)
  const { now } = options
  const { writeRefusals } = createCollectedStore(database, now)
  const refusals = createRefusals({ now, write: writeRefusals, graceMs: REFUSAL_GRACE_MS })
  const workers = await startWorkers({
    ...options,
    log,
    count: config.workers - 1,
    server: app.server,
    settings: {
      databaseUrl: config.databaseUrl,
      databaseFile: findDatabaseFile(config),
      postgres: getPostgresOptions(config),
      baseUrl: baseUrl(),
      trustProxy: config.trustProxy,
      auditIp: config.auditIp,
      rates: formatRates(config.rates),
      processCount: config.workers,
      maxConnections: shareConnections(config),
      logLevel: config.logLevel,
      isPretty,
      mainAddress: forwarded.mainAddress,
      otlpRatio: sendSpans === undefined ? undefined : config.otlpRatio,
    },
    async sendSpans(text) {
      const response = await sendSpans?.(Buffer.from(text))
      return response && { status: response.status, body: Buffer.from(response.body).toString() }
    },
    onRefused: refusals.merge,
    onTokenUsed: (tokenId, at) =>
      void accessTokens
        .touchLastUsed(tokenId, at)
        .catch((error) => log.warn({ err: error }, 'the last use of a token was not recorded')),
  })
  return {
    collectMetrics: workers.collectMetrics,
    drain: workers.drain,
    countRequests: workers.countRequests,
    async stop() {
      // Before the main process exits.
      await workers.stop(config.drainTimeoutMs - 500)
      await Promise.all([forwarded.close(), refusals.stop()])
    },
  }
}

/** Workers send their counts every second. */
const REFUSAL_GRACE_MS = 5_000

/** Each process counts its own connections, so each has an equal part of the limit. */
export function shareConnections({
  maxConnections,
  workers,
}: Pick<Config, 'maxConnections' | 'workers'>): number {
  return Math.ceil(maxConnections / workers)
}
