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
} from '@linchpin/runner'
import type { AcmeSandbox } from '../../integrations/acme-sandbox/create-acme-sandbox.ts'
import type { Log } from '../../platform/http/log.ts'
import { getLogOrigin } from '../../platform/http/log-origin.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { WorkMetrics } from '../observability/metrics/work-metrics.ts'
import { toEgressOptions } from './egress-options.ts'
import type { Config } from './environment.ts'

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
  readonly observeRunner: (runner: Runner) => Runner
}

/** Creates the egress gateway, the runner, and the monitor of their file descriptors. */
export function openRuntime(config: Config, options: RuntimeOptions): Runtime {
  const { log, now, port, vault, acmeSandbox, workMetrics, observeRunner } = options
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
  const egressGateway = workMetrics.observeEgress(gateway)
  const runner = createRunner({
    egressGateway,
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
