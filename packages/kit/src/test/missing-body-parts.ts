import { isDeepStrictEqual } from 'node:util'
import { type Config, fillDeep } from '../run/fill.ts'
import { at } from '../run/json-path.ts'
import type { ReceivedRequest } from './fake-provider.ts'
import type { BodyFixture } from './fixtures.ts'

/** What the body of a request lacks of what the provider documents; an empty list when it holds everything. */
export function missingBodyParts(
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
  if (!hasExpectedType) return [`${label} sends ${type}, not ${json === undefined ? FORM : 'JSON'}`]
  const body =
    json === undefined ? Object.fromEntries(new URLSearchParams(request.body)) : parse(request.body)
  return Object.entries(expected)
    .filter(([name, value]) => {
      const actual = json === undefined ? (body as Config)[name] : at(body, name)
      return !isDeepStrictEqual(actual, fillDeep(value, config))
    })
    .map(([name]) => `${label} lacks the right ${name} in its body`)
}

const FORM = 'application/x-www-form-urlencoded'

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
