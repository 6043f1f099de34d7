import { fillText } from '../values/fill.ts'
import type { ReceivedRequest } from './fake-provider.ts'

/** One header or parameter that the provider expects, with its value. */
export interface ExpectedCredential {
  readonly location: 'header' | 'query'
  readonly name: string
  readonly value: string
}

/** Parses `Name: value` and `?name=value`. @throws Error when it is neither */
export function parseSends(
  sends: string | readonly string[],
  config: Readonly<Record<string, unknown>>,
): ExpectedCredential[] {
  return [sends].flat().map((line) => {
    const [, queryMark, name = '', value = ''] =
      /^(\??)([\w-]+)(?:: |=)(.*)$/s.exec(line) ?? throwInvalidSends(line)
    const location = queryMark === '?' ? 'query' : 'header'
    return { location, name, value: fillText(value, config) }
  })
}

/** What is missing in a request; empty if it is complete. */
export function findMissingCredentials(
  request: ReceivedRequest,
  expected: readonly ExpectedCredential[],
): string[] {
  return expected
    .filter(({ location, name, value }) => {
      const actual =
        location === 'query'
          ? request.url.searchParams.get(name)
          : request.headers[name.toLowerCase()]
      return !isSameCredential(String(actual ?? ''), value)
    })
    .map(
      ({ location, name }) =>
        `${request.method} ${request.url.pathname} does not send the expected ${location} ${name}`,
    )
}

/** `Basic name:password` is written in plain text; OAuth encodes both first (RFC 6749, section 2.3.1). */
export function isSameCredential(actual: string, expected: string): boolean {
  const basicCredentials = /^Basic (.*?):(.*)$/s.exec(expected)
  if (basicCredentials === null) return actual === expected
  const sent = Buffer.from(actual.replace(/^Basic /, ''), 'base64').toString()
  const [, name = '', password = ''] = basicCredentials
  const encoded = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`
  return actual.startsWith('Basic ') && (sent === `${name}:${password}` || sent === encoded)
}

function throwInvalidSends(line: string): never {
  throw new Error(`"${line}" must be "Name: value" or "?name=value".`)
}
