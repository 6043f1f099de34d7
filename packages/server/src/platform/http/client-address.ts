import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'

/**
 * The network of a client, as a rate-limit key: an IPv4 address, or the first `prefix` bits of an IPv6 address. An
 * IPv4-mapped address counts as IPv4. A port after the address, which some proxies write into X-Forwarded-For, is
 * ignored: otherwise each connection would be a separate network.
 */
export function toNetworkAddress(ip: string, prefix: 48 | 64): string {
  const [, bracketed] = /^\[([^\]]{1,100})\](?::\d{1,5})?$/.exec(ip) ?? []
  const [, dotted] = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(ip) ?? []
  return normalizeIP(bracketed ?? dotted ?? ip, prefix)
}

/** Whether an address is that of a trusted proxy. */
export type IsTrustedProxy = (address: string) => boolean

/** @param addresses addresses and CIDRs of the proxies */
export function createTrustedProxies(addresses: readonly string[]): IsTrustedProxy {
  if (addresses.length === 0) return () => false
  const list = new BlockList()
  for (const text of addresses) {
    const [address = '', prefix] = text.split('/')
    if (prefix === undefined) list.addAddress(address, getFamily(address))
    else list.addSubnet(address, Number(prefix), getFamily(address))
  }
  return (address) => isIP(address) !== 0 && list.check(address, getFamily(address))
}

function getFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}

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
