import type { EgressGateway, EgressRequest, Runner } from '@linchpin/runner'
import type { WorkMetrics } from '../metrics/work-metrics.ts'
import type { SpanStart, Trace } from './tracing.ts'

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
    observeJob: (name, run) =>
      metrics.observeJob(name, () =>
        trace({ name: `job ${name}`, kind: 'internal', position: 'root' }, run),
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
