import { validateHeaderName, validateHeaderValue } from 'node:http'
import { EgressError, type EgressRequest } from './egress.ts'

type RequestHeaders = NonNullable<EgressRequest['headers']>

/**
 * The request headers as alternating names and values, spelled as passed. Headers of the connection (RFC 9110 section
 * 7.6.1) and those that the gateway sets itself, `host` and `content-length`, are omitted.
 *
 * @throws EgressError `refused` for a name or value that could end the header early, for a value of more than 32 kB, or for
 * more than 64 kB together
 */
export function requestHeaders(headers: RequestHeaders, defaults: RequestHeaders): string[] {
  const entries = Object.entries(headers)
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  const defaultEntries = Object.entries(defaults).filter(([name]) => !names.has(name.toLowerCase()))
  const excluded = new Set([...EXCLUDED_HEADERS, ...listConnectionOptions(entries)])
  const lines: string[] = []
  for (const [name, values] of [...entries, ...defaultEntries]) {
    if (excluded.has(name.toLowerCase())) continue
    for (const value of Array.isArray(values) ? values : [values]) {
      lines.push(...validateHeader(name, value))
    }
  }
  const size = lines.reduce((sum, part) => sum + part.length + 2, 0)
  if (size > MAX_REQUEST_HEADER_BYTES)
    throw new EgressError('refused', 'the request headers are too large')
  return lines
}

/** The values of a header in a list of alternating names and values; names are case-insensitive. */
export function getHeaderValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  )
}

/** The first value of a header in such a list. */
export function getHeader(rawHeaders: readonly string[], name: string): string | undefined {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === name) return rawHeaders[index + 1]
  return undefined
}

/** Largest head of a response, and largest value of a request's header, in bytes. */
export const MAX_HEADER_BYTES = 32 * 1024

/** Most bytes of the headers of a request: two credentials of the largest size, or one and what a caller adds. */
export const MAX_REQUEST_HEADER_BYTES = 64 * 1024

const EXCLUDED_HEADERS: readonly string[] = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Names that a Connection header declares as hop-by-hop. */
function listConnectionOptions(entries: [string, string | readonly string[]][]): string[] {
  return entries
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => String(value).toLowerCase().split(','))
    .map((option) => option.trim())
}

/** The values come from untrusted code, so their type is not guaranteed. */
function validateHeader(name: string, value: unknown): [string, string] {
  try {
    if (typeof value !== 'string') throw new TypeError('a header value is not a string')
    validateHeaderName(name)
    validateHeaderValue(name, value)
    if (value.length > MAX_HEADER_BYTES) throw new TypeError('a header value is too large')
  } catch (cause) {
    throw new EgressError('refused', 'a request header is not valid', undefined, cause)
  }
  return [name, value]
}
