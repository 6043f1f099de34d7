import type { Attributes, AttributeValue, HrTime } from '@opentelemetry/api'
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace'
import type { Log } from '../../../platform/http/log.ts'
import type { DropReason, SpanCounts } from './tracing.ts'

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
