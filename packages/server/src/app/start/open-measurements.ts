import { createEgressGateway, type Runner } from '@linchpin/runner'
import type { Log } from '../../platform/http/log.ts'
import { createWorkMetrics, type WorkMetrics } from '../observability/metrics/work-metrics.ts'
import { traceRunner, traceWork } from '../observability/tracing/trace-work.ts'
import type { Tracing } from '../observability/tracing/tracing.ts'
import { type EgressConfig, toEgressOptions } from './egress-options.ts'
import type { Config } from './environment.ts'

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
