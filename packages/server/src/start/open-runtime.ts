import {
  createEgressGateway,
  createRunner,
  type EgressGateway,
  type Runner,
} from '@linchpin/runner'
import type { Log } from '../http/log.ts'
import type { Config } from './environment.ts'
import { monitorFileDescriptors } from './monitor-file-descriptors.ts'

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
  /** The service's own port, which outgoing requests never reach. */
  readonly port: () => number
}

/** Creates the egress gateway, the runner, and the monitor of their file descriptors. */
export function openRuntime(config: Config, { log, now, port }: RuntimeOptions): Runtime {
  const fileDescriptors = monitorFileDescriptors(log, now)
  const egressGateway = createEgressGateway({
    allow: config.egressAllow,
    proxy: config.egressProxy,
    proxyResolves: config.egressProxyResolves,
    listeningPorts: () => [port()],
    log: (detail) => {
      fileDescriptors.recordMessage(detail)
      log.info({ detail }, 'an outgoing request failed')
    },
    onCircuitChange: ({ change, ...detail }) =>
      log.warn(
        { ...detail, scope: detail.workspaceId ? 'workspace' : 'node' },
        `the circuit to a host ${change}`,
      ),
  })
  const runner = createRunner({
    egressGateway,
    log: (level, message, detail) => log[level](detail ?? {}, message),
  })
  return {
    egressGateway,
    runner,
    async close() {
      fileDescriptors.stop()
      await Promise.all([runner.close(), egressGateway.close()])
    },
  }
}
