import type { FastifyInstance } from 'fastify'
import type { RequestIds } from '../../../platform/http/request-ids.ts'

/** Of the semantic conventions of OpenTelemetry, or of Linchpin. Never a query, a credential, or a text that a tenant chose. */
export type SpanAttributes = Readonly<Record<string, string | number>>

/** A span to be started. */
export interface SpanStart {
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
