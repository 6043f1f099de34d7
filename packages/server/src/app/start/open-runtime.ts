import { closeSync, existsSync, openSync } from 'node:fs'
import path from 'node:path'
import {
  type BundleImageStore,
  createEgressGateway,
  createMemoryImageStore,
  createRunner,
  type EgressGateway,
  openImageFolder,
  type Runner,
  type RunnerOptions,
} from '@linchpin/runner'
import type { AccountErrors } from '../../activity/requests/account-errors.ts'
import type { DebugRecorder } from '../../activity/requests/debug-recorder.ts'
import { recordProviderRequests } from '../../activity/requests/record-requests.ts'
import type { RequestLog } from '../../activity/requests/request-log.ts'
import type { StatisticsCounter } from '../../activity/statistics/statistics.ts'
import type { AcmeSandbox } from '../../integrations/acme-sandbox/acme-sandbox.ts'
import { getLogOrigin, type Log } from '../../platform/http/log.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { createWorkMetrics, type WorkMetrics } from '../observability/metrics/work-metrics.ts'
import { type Tracing, traceRunner, traceWork } from '../observability/tracing/tracing.ts'
import { type Config, type EgressConfig, toEgressOptions } from './environment.ts'

/** The parts that run bundles and send requests. */
export interface Runtime {
  readonly egressGateway: EgressGateway
  readonly runner: Runner
  /** Ends the child processes and closes all connections. */
  close(): Promise<void>
}

export interface RuntimeOptions {
  readonly log: Log
  readonly now: () => number
  readonly vault: Pick<Vault, 'deriveKey'>
  /** The service's own port, which outgoing requests never reach. */
  readonly port: () => number
  readonly acmeSandbox?: AcmeSandbox | undefined
  readonly workMetrics: Pick<WorkMetrics, 'observeEgress'>
  readonly requestLog: RequestLog
  readonly accountErrors: Pick<AccountErrors, 'add'>
  readonly statistics: StatisticsCounter
  readonly debugRecorder: Pick<DebugRecorder, 'begin'>
  readonly observeRunner: (runner: Runner) => Runner
  readonly findDeclared: RunnerOptions['findDeclared']
}

/** Creates the egress gateway, the runner, and the monitor of their file descriptors. */
export function openRuntime(config: Config, options: RuntimeOptions): Runtime {
  const { log, now, port, vault, acmeSandbox, workMetrics, observeRunner, findDeclared } = options
  const fileDescriptors = monitorFileDescriptors(log, now)
  const gateway = createEgressGateway({
    ...toEgressOptions(config),
    listeningPorts: () => [port()],
    localHosts: acmeSandbox?.localHosts,
    log: (detail) => {
      fileDescriptors.recordMessage(detail)
      log.info({ ...getLogOrigin(), detail }, 'an outgoing request failed')
    },
    onCircuitChange: ({ change, ...detail }) =>
      log.warn(
        { ...getLogOrigin(), ...detail, scope: detail.workspaceId ? 'workspace' : 'node' },
        `the circuit to a host ${change}`,
      ),
  })
  const egressGateway = recordProviderRequests(workMetrics.observeEgress(gateway), options)
  const runner = createRunner({
    egressGateway,
    findDeclared,
    images: openImages(config, { log, vault }),
    log(level, message, detail) {
      fileDescriptors.recordMessage(String(detail?.error))
      log[level](detail ?? {}, message)
    },
  })
  return {
    egressGateway,
    runner: observeRunner(runner),
    async close() {
      fileDescriptors.stop()
      await Promise.all([runner.close(), egressGateway.close()])
    },
  }
}

/** In the data folder, if there is one: with PostgreSQL there need not be. */
function openImages(
  { databaseUrl, dataDir }: Config,
  { log, vault }: Pick<RuntimeOptions, 'log' | 'vault'>,
): BundleImageStore {
  if (databaseUrl !== undefined && !existsSync(dataDir)) return createMemoryImageStore()
  return openImageFolder({
    folder: path.resolve(dataDir, 'bundle-images'),
    key: vault.deriveKey('linchpin bundle images'),
    log: (message, detail) => log.info(detail, message),
  })
}

const CHECK_INTERVAL_MS = 1_000
const LOG_INTERVAL_MS = 60_000

/** Detects that the process, or the system, has run out of file descriptors. */
export interface FileDescriptorMonitor {
  /** Logs when the text contains EMFILE or ENFILE, at most once a minute. */
  recordMessage(text: string): void
  /** Opens a file to find out whether a descriptor is left. */
  check(): void
  stop(): void
}

/**
 * Logs when the process reaches its limit of file descriptors. libuv closes connections that it cannot accept and reports
 * nothing, so this opens a file every second to find out.
 */
export function monitorFileDescriptors(
  log: Pick<Log, 'error'>,
  now: () => number,
  probe: () => void = openAndCloseFile,
): FileDescriptorMonitor {
  let loggedAt = Number.NEGATIVE_INFINITY
  const recordMessage = (text: string) => {
    const code = /\b(?:EMFILE|ENFILE)\b/.exec(text)?.[0]
    if (code === undefined || now() - loggedAt < LOG_INTERVAL_MS) return
    loggedAt = now()
    log.error({ code }, 'no file descriptor is left: connections are rejected')
  }
  const check = () => {
    try {
      probe()
    } catch (error) {
      recordMessage(String((error as { code?: unknown }).code))
    }
  }
  const timer = setInterval(check, CHECK_INTERVAL_MS).unref()
  return { recordMessage, check, stop: () => clearInterval(timer) }
}

function openAndCloseFile(): void {
  closeSync(openSync('/dev/null', 'r'))
}

/** What measures the work of the process. */
export interface Measurements {
  readonly workMetrics: WorkMetrics
  /** Absent without LINCHPIN_OTLP_ENDPOINT. */
  readonly tracing: Tracing | undefined
  readonly observeRunner: (runner: Runner) => Runner
}

/** Metrics, and traces if they are configured. */
export async function openMeasurements(
  config: TracingConfig,
  options: OpenTracingOptions,
): Promise<Measurements> {
  const workMetrics = createWorkMetrics(options.now)
  const tracing = await openTracing(config, options)
  if (tracing === undefined) return { workMetrics, tracing, observeRunner: (runner) => runner }
  const { trace } = tracing
  return {
    tracing,
    workMetrics: traceWork(workMetrics, trace),
    observeRunner: (runner) => traceRunner(runner, trace),
  }
}

type TracingConfig = EgressConfig &
  Pick<Config, 'otlpEndpoint' | 'otlpHeaders' | 'otlpRatio' | 'port'>

interface OpenTracingOptions {
  readonly log: Log
  readonly now: () => number
}

/** Traces that go to LINCHPIN_OTLP_ENDPOINT. Undefined without it: nothing of OpenTelemetry is then loaded. */
async function openTracing(
  config: TracingConfig,
  options: OpenTracingOptions,
): Promise<Tracing | undefined> {
  const { otlpEndpoint, otlpHeaders = {}, otlpRatio } = config
  if (otlpEndpoint === undefined) return undefined
  const { createTracing } = await import('../observability/tracing/create-tracing.ts')
  // For these requests only: they are neither traced themselves nor measured as work of a tenant.
  const egressGateway = createEgressGateway({
    ...toEgressOptions(config),
    listeningPorts: () => [config.port],
  })
  const policy = { purpose: 'telemetry', timeoutMs: TIMEOUT_MS, maxRedirects: 0 } as const
  const request = { method: 'POST', url: otlpEndpoint.href }
  const headers = { ...otlpHeaders, 'content-type': 'application/json' }
  const tracing = createTracing({
    ...options,
    ratio: otlpRatio,
    send: (body, signal) =>
      egressGateway.request(
        { ...request, headers, body },
        { ...policy, maxResponseBytes: MAX_RESPONSE_BYTES, decompress: true, signal },
      ),
  })
  const stop = async () => {
    await tracing.stop()
    await egressGateway.close()
  }
  return { ...tracing, stop }
}

const TIMEOUT_MS = 5_000
const MAX_RESPONSE_BYTES = 64 * 1024
