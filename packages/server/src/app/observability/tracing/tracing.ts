import type { EgressGateway, EgressRequest, Runner } from '@linchpin/runner'
import type { FastifyInstance } from 'fastify'
import type { RequestIds } from '../../../platform/http/client-address.ts'
import type { WorkMetrics } from '../metrics/work-metrics.ts'

/** Of the semantic conventions of OpenTelemetry, or of Linchpin. Never a query, a credential, or a text that a tenant chose. */
export type SpanAttributes = Readonly<Record<string, string | number>>

/** A span to be started. */
interface SpanStart {
  readonly name: string
  readonly kind: 'internal' | 'client'
  readonly attributes?: SpanAttributes
  /**
   * Where it belongs: `child` of the span in progress, and without one there is no span; `either` begins a trace without one;
   * `root` always begins a trace.
   */
  readonly position: 'child' | 'either' | 'root'
}

/** Runs work within a span, which ends with it. `describe` returns what its result adds to the span. */
export type Trace = <T>(
  start: SpanStart,
  work: () => Promise<T>,
  describe?: (result: T) => SpanAttributes,
) => Promise<T>

/** Why spans did not reach the collector. */
export type DropReason = 'queue_full' | 'failed' | 'rejected'

export interface SpanCounts {
  readonly exported: number
  readonly dropped: Readonly<Record<DropReason, number>>
}

/** Traces of this process. */
export interface Tracing {
  readonly trace: Trace
  /** Begins a span for each request, continued from the trace of a trusted proxy. Must be called before routes are registered. */
  traceRequests(app: FastifyInstance, requestIds: Pick<RequestIds, 'getTraceParent'>): void
  counts(): SpanCounts
  /** Exports what is left, within 2 s. */
  stop(): Promise<void>
}

/** The same measurements, each within a span. */
export function traceWork(metrics: WorkMetrics, trace: Trace): WorkMetrics {
  return {
    ...metrics,
    observeEgress: (gateway) => metrics.observeEgress(traceEgress(gateway, trace)),
    observeDatabase: (database) =>
      metrics.observeDatabase({
        ...database,
        transaction: (work, options) =>
          trace(
            {
              name: 'transaction',
              kind: 'client',
              position: 'child',
              attributes: { 'db.system.name': DATABASES[database.dialect] },
            },
            () => database.transaction(work, options),
          ),
      }),
    observeJob: <A extends readonly unknown[], T>(name: string, run: (...args: A) => Promise<T>) =>
      metrics.observeJob(name, (...args: A) =>
        trace({ name: `job ${name}`, kind: 'internal', position: 'root' }, () => run(...args)),
      ),
  }
}

const DATABASES = { sqlite: 'sqlite', postgres: 'postgresql' } as const

function traceEgress(gateway: EgressGateway, trace: Trace): EgressGateway {
  const describe = ({ status }: { readonly status: number }) => ({
    'http.response.status_code': status,
  })
  return {
    ...gateway,
    request: (request, policy) =>
      trace(
        describeRequest(request, policy.purpose),
        () => gateway.request(request, policy),
        describe,
      ),
    stream: (request, policy) =>
      trace(
        describeRequest(request, policy.purpose),
        () => gateway.stream(request, policy),
        describe,
      ),
  }
}

/** With the host, as in log lines; paths and queries may contain secrets. */
function describeRequest(
  { method, url }: Pick<EgressRequest, 'method' | 'url'>,
  purpose: string,
): SpanStart {
  return {
    name: `${method} ${purpose}`,
    kind: 'client',
    position: 'either',
    attributes: {
      'http.request.method': method,
      'server.address': URL.parse(url)?.hostname ?? 'unknown',
      'linchpin.egress.purpose': purpose,
    },
  }
}

/** The same runner, with a span for each call within a request or a job. */
export function traceRunner(runner: Runner, trace: Trace): Runner {
  return {
    ...runner,
    run: (call) =>
      trace(
        { name: `bundle ${call.command}`, kind: 'internal', position: 'child' },
        () => runner.run(call),
        ({ lastExchange }) => ({ 'linchpin.last_exchange': lastExchange }),
      ),
  }
}
