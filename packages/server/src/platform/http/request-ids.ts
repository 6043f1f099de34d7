import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createTrustedProxies } from './trusted-proxies.ts'

/** How a request is named in responses, log lines and records. */
export interface RequestIds {
  /** The `X-Request-Id` of a trusted proxy if it is well-formed, otherwise a new UUID. */
  getRequestId(request: IncomingMessage): string
  /** The trace that a trusted proxy has begun or continued. */
  getTraceParent(request: IncomingMessage): TraceParent | undefined
}

/** The `traceparent` of a request (W3C Trace Context, section 3.2). */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** Of the caller's span: 16 hexadecimal digits. */
  readonly spanId: string
  readonly isSampled: boolean
}

/**
 * Reads ids from trusted proxies only: anyone else could repeat an id of another request, and so hide among its log lines.
 *
 * @param trustProxy addresses and CIDRs of the proxies
 */
export function createRequestIds(trustProxy: readonly string[]): RequestIds {
  if (trustProxy.length === 0)
    return { getRequestId: () => randomUUID(), getTraceParent: () => undefined }
  const isTrustedProxy = createTrustedProxies(trustProxy)
  const comesFromProxy = ({ socket: { remoteAddress = '' } }: IncomingMessage) =>
    isTrustedProxy(remoteAddress)
  return {
    getRequestId(request) {
      const id = request.headers['x-request-id']
      return typeof id === 'string' && WELL_FORMED_ID.test(id) && comesFromProxy(request)
        ? id
        : randomUUID()
    },
    getTraceParent(request) {
      const { traceparent } = request.headers
      return typeof traceparent === 'string' && comesFromProxy(request)
        ? parseTraceParent(traceparent)
        : undefined
    },
  }
}

/** As nginx, HAProxy, Envoy and the load balancers of AWS, Google and Heroku form them. */
const WELL_FORMED_ID = /^[\w.:;=+/@-]{1,128}$/

/**
 * Parses a `traceparent` (W3C Trace Context, section 3.2.2). Versions after 00 may append fields, which are ignored.
 *
 * @returns undefined if it is not well-formed: the trace then starts anew (section 4.3)
 */
export function parseTraceParent(text: string): TraceParent | undefined {
  const match = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(text)
  if (match === null) return undefined
  const [, version, traceId = '', spanId = '', flags = '', rest] = match
  const isKnown = version === '00' ? rest === undefined : version !== 'ff'
  if (!isKnown || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
