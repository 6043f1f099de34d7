import { validateHeaderName, validateHeaderValue } from 'node:http'
import { GateError } from './gate-error.ts'
import type { GateRequest } from './gate-types.ts'

type Headers = NonNullable<GateRequest['headers']>

/**
 * The request headers as names and values in turn, spelled as given. Those that belong to one connection (RFC 9110
 * section 7.6.1) and those that the gate writes itself, `host` and `content-length`, are left out.
 *
 * @throws GateError `refused` for a name or value that could end the header early, or more than 32 KB
 */
export function requestHeaders(headers: Headers, defaults: Headers): string[] {
  const given = Object.entries(headers)
  const names = new Set(given.map(([name]) => name.toLowerCase()))
  const missing = Object.entries(defaults).filter(([name]) => !names.has(name.toLowerCase()))
  const dropped = new Set([...NEVER_SENT, ...connectionOptions(given)])
  const lines: string[] = []
  for (const [name, values] of [...given, ...missing]) {
    if (dropped.has(name.toLowerCase())) continue
    for (const value of Array.isArray(values) ? values : [values]) {
      lines.push(...checked(name, value))
    }
  }
  const size = lines.reduce((sum, part) => sum + part.length + 2, 0)
  if (size > LARGEST_HEADERS) throw new GateError('refused', 'the request headers are too large')
  return lines
}

/** The values of a header in a list of names and values in turn, whatever the spelling of its name. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  )
}

/** Largest head of a request or an answer, in bytes. */
export const LARGEST_HEADERS = 32 * 1024

const NEVER_SENT: readonly string[] = [
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

/** Names that a Connection header declares to be meant for the next hop only. */
function connectionOptions(given: [string, string | readonly string[]][]): string[] {
  return given
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => String(value).toLowerCase().split(','))
    .map((option) => option.trim())
}

/** The values come from untrusted code: their type is a hope. */
function checked(name: string, value: unknown): [string, string] {
  try {
    if (typeof value !== 'string') throw new TypeError('a header value is not text')
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch (cause) {
    throw new GateError('refused', 'a request header is not valid', undefined, cause)
  }
  return [name, value]
}
