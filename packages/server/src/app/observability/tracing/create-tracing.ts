import { AsyncLocalStorage } from 'node:async_hooks'
import { hostname } from 'node:os'
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace as traceApi,
} from '@opentelemetry/api'
import {
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import packageJson from '../../../../package.json' with { type: 'json' }
import { createSpanExporter, type SpanExporterDeps } from './span-exporter.ts'
import { traceRequests } from './trace-requests.ts'
import type { Trace, Tracing } from './tracing.ts'

export interface CreateTracingOptions extends Omit<SpanExporterDeps, 'resource'> {
  /** The share of the traces that begin here, 0 to 1. Others follow their parent. */
  readonly ratio: number
}

/** Loads OpenTelemetry: import this module only when traces are configured. */
export function createTracing({ ratio, ...deps }: CreateTracingOptions): Tracing {
  const resource = {
    'service.name': 'linchpin',
    'service.version': packageJson.version,
    'service.instance.id': hostname(),
  }
  const exporter = createSpanExporter({ ...deps, resource })
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [exporter],
  })
  const tracer = provider.getTracer('linchpin')
  const contexts = new AsyncLocalStorage<Context>()
  const trace: Trace = async (start, work, describe) => {
    const current = start.position === 'root' ? undefined : contexts.getStore()
    if (current === undefined && start.position === 'child') return work()
    const parent = current ?? ROOT_CONTEXT
    const kind = start.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL
    const span = tracer.startSpan(start.name, { kind, attributes: start.attributes ?? {} }, parent)
    try {
      const result = await contexts.run(traceApi.setSpan(parent, span), work)
      if (describe !== undefined) span.setAttributes(describe(result))
      return result
    } catch (error) {
      markFailed(span, error)
      throw error
    } finally {
      span.end()
    }
  }
  return {
    trace,
    traceRequests: (app, requestIds) => traceRequests(app, { tracer, contexts, requestIds }),
    counts: exporter.counts,
    stop: () => provider.shutdown(),
  }
}

/** With the code of the error or its class, never its message: that may contain data. */
function markFailed(span: Span, error: unknown): void {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  span.setAttribute('error.type', String(code ?? name ?? 'unknown'))
  span.setStatus({ code: SpanStatusCode.ERROR })
}
