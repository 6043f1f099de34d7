import type { Attributes, AttributeValue, HrTime } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'

/** A request of OTLP/HTTP in JSON (opentelemetry-proto 1.x, `ExportTraceServiceRequest`). */
export function toOtlp(spans: readonly ReadableSpan[], resource: Attributes): object {
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
