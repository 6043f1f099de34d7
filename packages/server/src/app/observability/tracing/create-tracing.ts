import { AsyncLocalStorage } from 'node:async_hooks'
import { hostname } from 'node:os'
import {
  type Attributes,
  type AttributeValue,
  type Context,
  type HrTime,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace as traceApi,
} from '@opentelemetry/api'
import {
  ParentBasedSampler,
  type ReadableSpan,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import packageJson from '../../../../package.json' with { type: 'json' }
import type { RequestIds } from '../../../platform/http/client-address.ts'
import { addLogFields, getLogFields, type Log } from '../../../platform/http/log.ts'
import type { DropReason, SpanCounts, Trace, Tracing } from './tracing.ts'

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

export interface SpanExporterDeps {
  /** Sends a request to the collector, and returns its response. */
  readonly send: (body: Uint8Array, signal: AbortSignal) => Promise<CollectorResponse>
  readonly resource: Attributes
  readonly log: Pick<Log, 'warn'>
  readonly now: () => number
}

export interface CollectorResponse {
  readonly status: number
  readonly body: Uint8Array
}

/** Queues spans and exports them in the background. */
export interface SpanExporter extends SpanProcessor {
  counts(): SpanCounts
}

/**
 * At most one export at a time, so that a collector that hangs costs the queue and nothing else. What the collector does not
 * accept is dropped and counted, and logged at most once a minute.
 */
export function createSpanExporter(deps: SpanExporterDeps): SpanExporter {
  const { now, log } = deps
  const queue: ReadableSpan[] = []
  const stopping = new AbortController()
  const dropped: Record<DropReason, number> = { queue_full: 0, failed: 0, rejected: 0 }
  let exported = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  const drop = (reason: DropReason, count: number, detail: Readonly<Record<string, unknown>>) => {
    dropped[reason] += count
    if (now() - loggedAt < LOG_INTERVAL_MS) return
    loggedAt = now()
    log.warn({ reason, dropped, ...detail }, 'spans were dropped')
  }
  const exportBatch = async (batch: readonly ReadableSpan[]) => {
    const body = Buffer.from(JSON.stringify(toOtlp(batch, deps.resource)))
    const response = await deps.send(body, stopping.signal)
    const { status } = response
    if (status >= 300) return drop('failed', batch.length, { status })
    const rejected = Math.min(countRejected(response), batch.length)
    exported += batch.length - rejected
    if (rejected > 0) drop('rejected', rejected, { status })
  }
  const exportQueue = async () => {
    while (queue.length > 0 && !stopping.signal.aborted) {
      const batch = queue.splice(0, MAX_BATCH)
      await exportBatch(batch).catch((error) => drop('failed', batch.length, { err: error }))
    }
  }
  const flush = () => {
    running ??= exportQueue().finally(() => {
      running = undefined
    })
    return running
  }
  const timer = setInterval(flush, INTERVAL_MS).unref()
  return {
    onStart() {},
    onEnd(span) {
      if (queue.length >= MAX_QUEUE) return drop('queue_full', 1, {})
      queue.push(span)
      if (queue.length >= MAX_BATCH) void flush()
    },
    forceFlush: flush,
    async shutdown() {
      clearInterval(timer)
      const timeout = setTimeout(() => stopping.abort(), STOP_MS)
      // The first one may be an export that began before the last spans.
      await flush().then(flush)
      clearTimeout(timeout)
      if (queue.length > 0) drop('failed', queue.splice(0).length, {})
    },
    counts: () => ({ exported, dropped }),
  }
}

/** Of a response with `partialSuccess`. A body that is no JSON, such as that of a proxy, rejects nothing. */
function countRejected({ body }: CollectorResponse): number {
  try {
    const { partialSuccess } = JSON.parse(Buffer.from(body).toString())
    return Number(partialSuccess?.rejectedSpans ?? 0) || 0
  } catch {
    return 0
  }
}

const INTERVAL_MS = 5_000
const MAX_QUEUE = 4_096
const MAX_BATCH = 512
const STOP_MS = 1_900
const LOG_INTERVAL_MS = 60_000

/** A request of OTLP/HTTP in JSON (opentelemetry-proto 1.x, `ExportTraceServiceRequest`). */
function toOtlp(spans: readonly ReadableSpan[], resource: Attributes): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: toKeyValues(resource) },
        scopeSpans: [{ scope: { name: 'linchpin' }, spans: spans.map(toOtlpSpan) }],
      },
    ],
  }
}

function toOtlpSpan(span: ReadableSpan) {
  const { traceId, spanId, traceFlags } = span.spanContext()
  const parentSpanId = span.parentSpanContext?.spanId
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    flags: traceFlags,
    name: span.name,
    // The format begins with `unspecified`.
    kind: span.kind + 1,
    startTimeUnixNano: toNanoseconds(span.startTime),
    endTimeUnixNano: toNanoseconds(span.endTime),
    attributes: toKeyValues(span.attributes),
    status: { code: span.status.code },
  }
}

/** 64-bit integers are text in the JSON of protobuf. */
function toNanoseconds([seconds, nanoseconds]: HrTime): string {
  return `${BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds)}`
}

function toKeyValues(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }))
}

function toValue(value: AttributeValue | undefined) {
  return Number.isInteger(value) ? { intValue: String(value) } : { stringValue: String(value) }
}

export interface TraceRequestsDeps {
  readonly tracer: Tracer
  readonly contexts: AsyncLocalStorage<Context>
  readonly requestIds: Pick<RequestIds, 'getTraceParent'>
}

/** A server span for each request, with the route template and the ids of workspace and token; its log line names the trace. */
export function traceRequests(
  app: FastifyInstance,
  { tracer, contexts, requestIds }: TraceRequestsDeps,
): void {
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, _reply, done) => {
    const parent = getParent(request, requestIds)
    const { method, protocol } = request
    const route = request.routeOptions.url
    const span = tracer.startSpan(
      route === undefined ? method : `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': method,
          'url.scheme': protocol,
          ...(route === undefined ? {} : { 'http.route': route }),
        },
      },
      parent,
    )
    spans.set(request, span)
    addLogFields(request, { traceId: span.spanContext().traceId })
    done()
  })
  // After the body: its events have the context of the connection.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request)
    if (span === undefined) done()
    else contexts.run(traceApi.setSpan(ROOT_CONTEXT, span), done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request)
    const { workspaceId, tokenId } = getLogFields(request)
    span?.setAttributes({
      'http.response.status_code': reply.statusCode,
      ...(workspaceId === undefined ? {} : { 'linchpin.workspace_id': workspaceId }),
      ...(tokenId === undefined ? {} : { 'linchpin.token_id': tokenId }),
    })
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
    done()
  })
}

function getParent(
  request: FastifyRequest,
  { getTraceParent }: TraceRequestsDeps['requestIds'],
): Context {
  const parent = getTraceParent(request.raw)
  if (parent === undefined) return ROOT_CONTEXT
  const { traceId, spanId, isSampled } = parent
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return traceApi.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}
