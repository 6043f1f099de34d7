import { fillText } from '../run/fill.ts'
import type { Asked } from './provider.ts'

/** One place of a request where the provider wants something, filled. */
export interface Wanted {
  readonly where: 'header' | 'query'
  readonly name: string
  readonly value: string
}

/** Reads `Name: value` and `?name=value`. @throws Error when it is neither */
export function readSends(
  sends: string | readonly string[],
  config: Readonly<Record<string, unknown>>,
): Wanted[] {
  return [sends].flat().map((line) => {
    const [, mark, name = '', value = ''] =
      /^(\??)([\w-]+)(?:: |=)(.*)$/s.exec(line) ?? notOne(line)
    const where = mark === '?' ? 'query' : 'header'
    return { where, name, value: fillText(value, config) }
  })
}

/** What a request lacks; an empty list when everything is in its place. */
export function missing(asked: Asked, wanted: readonly Wanted[]): string[] {
  return wanted
    .filter(({ where, name, value }) => {
      const found =
        where === 'query' ? asked.url.searchParams.get(name) : asked.headers[name.toLowerCase()]
      return !isSame(String(found ?? ''), value)
    })
    .map(
      ({ where, name }) => `${asked.method} ${asked.url.pathname} lacks the right ${where} ${name}`,
    )
}

/** `Basic name:password` is written plain; OAuth encodes both first (RFC 6749, section 2.3.1). */
export function isSame(found: string, wanted: string): boolean {
  const plain = /^Basic (.*?):(.*)$/s.exec(wanted)
  if (plain === null) return found === wanted
  const sent = Buffer.from(found.replace(/^Basic /, ''), 'base64').toString()
  const [, name = '', password = ''] = plain
  const encoded = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`
  return found.startsWith('Basic ') && (sent === `${name}:${password}` || sent === encoded)
}

function notOne(line: string): never {
  throw new Error(`"${line}" must be "Name: value" or "?name=value".`)
}
