type HeaderValue = string | readonly unknown[] | null | undefined

/**
 * The headers of a request, as frameworks have them: `Headers`, an object (of Node, Express, Fastify, Lambda, in any case), a
 * `Map`, pairs, the flat list of Node's `rawHeaders`, or anything with a `get` like that of `Headers`.
 */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Iterable<readonly [string, HeaderValue]>
  | readonly string[]
  | Readonly<Record<string, HeaderValue>>

/**
 * A function that returns all values of a header, whose name is compared without its case (RFC 9110, section 5.1).
 *
 * @throws TypeError if these are no headers
 */
export function createHeaderReader(headers: WebhookHeaders): (name: string) => string[] {
  if (typeof headers !== 'object' || headers === null)
    throw new TypeError('headers must be the headers of the request.')
  const entries = listEntries(headers)
  return (name) => {
    const values = entries
      .filter(([key]) => String(key).toLowerCase() === name)
      .flatMap(([, value]) => value)
    const found = values.length > 0 || !hasGet(headers) ? values : [headers.get(name)]
    return found.map(toText).filter((text) => text !== '')
  }
}

function listEntries(headers: object): (readonly [unknown, unknown])[] {
  if (!isIterable(headers)) return Object.entries(headers)
  const items = [...headers]
  // The `rawHeaders` of Node: names and values take turns.
  return items.every((item) => typeof item === 'string')
    ? items.flatMap((item, index) => (index % 2 === 0 ? [[item, items[index + 1]] as const] : []))
    : (items as [unknown, unknown][])
}

function isIterable(headers: object): headers is Iterable<unknown> {
  return Symbol.iterator in headers
}

function hasGet(headers: object): headers is { get(name: string): unknown } {
  return 'get' in headers && typeof headers.get === 'function'
}

/** A value as text: CloudFront's are `{ key, value }`. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  return typeof value === 'object' && value !== null && 'value' in value ? toText(value.value) : ''
}
