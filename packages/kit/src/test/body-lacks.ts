import { isDeepStrictEqual } from 'node:util'
import { type Config, fillDeep } from '../run/fill.ts'
import { at } from '../run/json-path.ts'
import type { BodyAnswers } from './fixtures.ts'
import type { Asked } from './provider.ts'

/** What the body of a request lacks of what the provider documents; an empty list when it holds everything. */
export function bodyLacks(asked: Asked, { json, form }: BodyAnswers, config: Config): string[] {
  const request = `${asked.method} ${asked.url.pathname}`
  const wanted = json ?? form
  if (wanted === undefined) return []
  const type = String(asked.headers['content-type'] ?? 'nothing').split(';')[0]
  const isRight =
    json === undefined ? type === FORM : /^application\/(?:[\w.-]+\+)?json$/.test(String(type))
  if (!isRight) return [`${request} sends ${type}, not ${json === undefined ? FORM : 'JSON'}`]
  const body =
    json === undefined ? Object.fromEntries(new URLSearchParams(asked.body)) : parse(asked.body)
  return Object.entries(wanted)
    .filter(([name, value]) => {
      const found = json === undefined ? (body as Config)[name] : at(body, name)
      return !isDeepStrictEqual(found, fillDeep(value, config))
    })
    .map(([name]) => `${request} lacks the right ${name} in its body`)
}

const FORM = 'application/x-www-form-urlencoded'

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
