import type { AuditIpMode } from '../../access/auth/audit-ip.ts'
import type { RateUsage } from '../../access/auth/rate-limiter.ts'
import type { RefusalCount } from '../../activity/audit/refusals.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { PostgresOptions } from '../../platform/storage/postgres/postgres-options.ts'
import type { MetricValues } from '../observability/sum-metrics.ts'

/** What a worker has to know. It receives no keys. */
export interface WorkerSettings {
  readonly databaseUrl: string | undefined
  readonly databaseFile: string
  readonly postgres: PostgresOptions
  /** The public base URL. */
  readonly baseUrl: string
  readonly trustProxy: readonly string[]
  readonly auditIp: AuditIpMode
  /** LINCHPIN_RATES, as text: JSON has no infinity. */
  readonly rates: string
  /** The processes of this node, the main process included. */
  readonly processCount: number
  readonly maxConnections: number
  readonly logLevel: string
  readonly isPretty: boolean
  readonly mainAddress: MainAddress
  /** LINCHPIN_OTLP_RATIO; undefined without traces. */
  readonly otlpRatio: number | undefined
}

/** Where the main process receives the requests that workers forward. */
export interface MainAddress {
  /** A socket in a folder that only this user can enter. */
  readonly socketPath: string
  /** Proves that a request comes from a worker. */
  readonly secret: string
}

/** From the main process to a worker. `start` comes first, with the listening socket. */
export type MessageToWorker =
  | { readonly type: 'start'; readonly settings: WorkerSettings }
  | { readonly type: 'collect-metrics'; readonly id: number }
  | { readonly type: 'others-accepted'; readonly usages: readonly RateUsage[] }
  | { readonly type: 'spans-answered'; readonly id: number; readonly response: SpansResponse }
  | { readonly type: 'ping' }
  | { readonly type: 'drain' }
  | { readonly type: 'stop' }

/** From a worker to the main process. */
export type MessageFromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'pong' }
  | { readonly type: 'metrics'; readonly id: number; readonly metrics: MetricValues }
  | { readonly type: 'refused'; readonly counts: readonly RefusalCount[] }
  | { readonly type: 'accepted'; readonly usages: readonly RateUsage[] }
  | { readonly type: 'spans'; readonly id: number; readonly body: string }
  | { readonly type: 'in-progress'; readonly requests: number }
  | { readonly type: 'token-used'; readonly tokenId: Id<'tok'>; readonly at: number }

/** The response of the collector, or undefined if there was none. */
export type SpansResponse = { readonly status: number; readonly body: string } | undefined

/** Between two reports of what a process has accepted, in each direction. Without keys in much use there are none. */
export const RATES_INTERVAL_MS = 100
