import { numberIn, parseJson } from './token-response.ts'

/** A token that a provider issued during a call, and that the result of the call carries. */
export interface IssuedToken {
  readonly value: string
  /** When it expires, in epoch milliseconds; undefined when neither the provider nor the token says so. */
  readonly expiresAt: number | undefined
}

/**
 * The token that stands both in a JSON response and in one of the headers: as a whole value, after a scheme, in a cookie, in HTTP
 * Basic or URL-encoded. Values of the configuration are no issued tokens. The last response comes first.
 *
 * @param now epoch milliseconds of the responses
 */
export function findIssuedToken(
  responses: readonly string[],
  headers: readonly string[],
  config: ReadonlySet<string>,
  now: number,
): IssuedToken | undefined {
  const carried = new Set(headers.flatMap(piecesOf).filter((piece) => !config.has(piece)))
  for (const text of responses.toReversed()) {
    const found = findIn(parseJson(text), carried)
    if (found === undefined) continue
    const { value, holders } = found
    const told = holders.map((holder) => expiryIn(holder, now)).find((each) => each !== undefined)
    return { value, expiresAt: told ?? jwtExpiry(value) }
  }
  return undefined
}

/**
 * Whether headers stay the same while a token lives: besides the token and values of the configuration there is nothing in them
 * that looks like a time, a nonce or a signature.
 */
export function areReusable(
  headers: Readonly<Record<string, string>>,
  token: string,
  config: ReadonlySet<string>,
): boolean {
  const known = new Set([token, ...config].flatMap((text) => [text, ...piecesOf(text)]))
  const isKnown = (piece: string) =>
    known.has(piece) || piecesOf(piece).some((each) => known.has(each))
  return Object.entries(headers).every(
    ([name, value]) =>
      (isKnown(value) || !FRESH_NAME.test(name)) &&
      value.split(/[\s,;"]+/).every((piece) => isKnown(piece) || !looksFresh(piece)),
  )
}

/** A header or a parameter whose value is made for one request, however short it is. */
const FRESH_NAME = /nonce|time-?stamp|signature|hmac|digest|(?:^|[-_])(?:date|time)$/i

function looksFresh(piece: string): boolean {
  const digits = piece.replace(/\D/g, '').length
  const assigned = piece.indexOf('=')
  if (assigned > 0 && FRESH_NAME.test(piece.slice(0, Math.min(assigned, 100)))) return true
  return /\d{9}/.test(piece) || /\d\d:\d\d/.test(piece) || (piece.length >= 16 && digits >= 3)
}

/** What a header value may carry: itself, its words, what comes after `name=`, and all of these decoded. */
function piecesOf(value: string): string[] {
  const words = value.split(/[\s,;]+/).slice(0, MOST_PIECES)
  const rest = value.slice(value.indexOf(' ') + 1)
  const assigned = words.map((word) => word.slice(word.indexOf('=') + 1).replace(/^"|"$/g, ''))
  const plain = [value, rest, ...words, ...assigned]
  const decoded = plain.flatMap((text) => {
    const pair = /^[\w+/-]{8,}=*$/.test(text) ? Buffer.from(text, 'base64').toString() : ''
    const at = pair.indexOf(':')
    return [pair, pair.slice(0, Math.max(at, 0)), pair.slice(at + 1), urlDecoded(text)]
  })
  return [...new Set([...plain, ...decoded])].filter((piece) => piece.length >= LEAST_TOKEN)
}

function urlDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

interface Found {
  readonly value: string
  /** The object that holds it, and those around it. */
  readonly holders: readonly Record<string, unknown>[]
}

function findIn(json: unknown, carried: ReadonlySet<string>): Found | undefined {
  const open: [unknown, readonly Record<string, unknown>[]][] = [[json, []]]
  let seen = 0
  for (let next = open.pop(); next !== undefined && seen < MOST_VALUES; next = open.pop()) {
    const [value, holders] = next
    seen += 1
    if (typeof value === 'string' && carried.has(value)) return { value, holders }
    if (typeof value !== 'object' || value === null || holders.length >= DEEPEST) continue
    const around = [value as Record<string, unknown>, ...holders]
    for (const inner of Object.values(value)) open.push([inner, around])
  }
  return undefined
}

function expiryIn(holder: Record<string, unknown>, now: number): number | undefined {
  for (const [name, value] of Object.entries(holder)) {
    if (!EXPIRY.test(name.replaceAll(/[_-]/g, ''))) continue
    const number = numberIn(value)
    if (number > 1e12) return number
    if (number > 1e9) return number * 1_000
    if (number > 0) return now + number * 1_000
    const date = typeof value === 'string' ? Date.parse(value) : Number.NaN
    if (!Number.isNaN(date)) return date
  }
  return undefined
}

/** RFC 7519 section 4.1.4. */
function jwtExpiry(token: string): number | undefined {
  const [, payload = '', signature] = token.split('.')
  if (signature === undefined) return undefined
  const claims = parseJson(Buffer.from(payload, 'base64url').toString())
  const { exp } = (claims ?? {}) as { exp?: unknown }
  return typeof exp === 'number' && exp > 1e9 && exp < 1e11 ? exp * 1_000 : undefined
}

const EXPIRY =
  /^(?:access|token)?(?:token)?(?:expire|expires|expiry|expiration|exp|ttl)(?:in|at|on|date|time|seconds)?$/i
const LEAST_TOKEN = 6
const MOST_PIECES = 50
const MOST_VALUES = 2_000
const DEEPEST = 8
