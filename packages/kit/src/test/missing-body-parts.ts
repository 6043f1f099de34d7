import { isDeepStrictEqual } from 'node:util'
import { type Config, fillDeep } from '../values/fill.ts'
import { getByPath } from '../values/get-by-path.ts'
import type { ReceivedRequest } from './fake-provider.ts'
import type { BodyFixture } from './fixtures.ts'

/** The documented parts that are missing in the body of a request; empty if it is complete. */
export function findMissingBodyParts(
  request: ReceivedRequest,
  { json, form }: BodyFixture,
  config: Config,
): string[] {
  const label = `${request.method} ${request.url.pathname}`
  const expected = json ?? form
  if (expected === undefined) return []
  const type = String(request.headers['content-type'] ?? 'nothing').split(';')[0]
  const hasExpectedType =
    json === undefined ? type === FORM : /^application\/(?:[\w.-]+\+)?json$/.test(String(type))
  if (!hasExpectedType)
    return [`${label} sends ${type} instead of ${json === undefined ? FORM : 'JSON'}`]
  const body =
    json === undefined ? Object.fromEntries(new URLSearchParams(request.body)) : parse(request.body)
  return Object.entries(expected)
    .filter(([name, value]) => {
      const actual = json === undefined ? (body as Config)[name] : getByPath(body, name)
      return !isDeepStrictEqual(actual, fillDeep(value, config))
    })
    .map(([name]) => `${label} does not send the expected ${name} in its body`)
}

const FORM = 'application/x-www-form-urlencoded'

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
