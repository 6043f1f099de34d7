import { getTokenExpiry, parseJson } from './token-response.ts'

/** A token that a provider issued during a call, and that the result of the call contains. */
export interface IssuedToken {
  readonly value: string
  /** When it expires, in epoch milliseconds; undefined if neither the provider nor the token specifies it. */
  readonly expiresAt: number | undefined
}

/**
 * Finds the token that is both in a JSON response and in one of the headers: as a whole value, after a scheme, in a
 * cookie, in HTTP Basic or URL-encoded. Values of the configuration are not issued tokens. The last response comes
 * first.
 *
 * @param now epoch milliseconds of the responses
 */
export function findIssuedToken(
  responses: readonly string[],
  headers: readonly string[],
  config: ReadonlySet<string>,
  now: number,
): IssuedToken | undefined {
  const headerTokens = new Set(
    headers.flatMap(listTokenCandidates).filter((candidate) => !config.has(candidate)),
  )
  for (const text of responses.toReversed()) {
    const match = findInJson(parseJson(text), headerTokens)
    if (match === undefined) continue
    const { value, ancestors } = match
    return { value, expiresAt: getTokenExpiry(value, ancestors, now) }
  }
  return undefined
}

/**
 * Whether headers stay the same while a token is valid: apart from the token and values of the configuration, they
 * contain nothing that looks like a time, a nonce or a signature.
 */
export function areHeadersReusable(
  headers: Readonly<Record<string, string>>,
  token: string,
  config: ReadonlySet<string>,
): boolean {
  const stable = new Set([token, ...config].flatMap((text) => [text, ...listTokenCandidates(text)]))
  const isStable = (candidate: string) =>
    stable.has(candidate) || listTokenCandidates(candidate).some((each) => stable.has(each))
  return Object.entries(headers).every(
    ([name, value]) =>
      (isStable(value) || !VOLATILE_NAME.test(name)) &&
      value
        .split(/[\s,;"]+/)
        .every((candidate) => isStable(candidate) || !looksVolatile(candidate)),
  )
}

/** A header or a parameter whose value is specific to one request, however short it is. */
const VOLATILE_NAME = /nonce|time-?stamp|signature|hmac|digest|(?:^|[-_])(?:date|time)$/i

function looksVolatile(candidate: string): boolean {
  const digits = candidate.replace(/\D/g, '').length
  const assigned = candidate.indexOf('=')
  if (assigned > 0 && VOLATILE_NAME.test(candidate.slice(0, Math.min(assigned, 100)))) return true
  return (
    /\d{9}/.test(candidate) ||
    /\d\d:\d\d/.test(candidate) ||
    (candidate.length >= 16 && digits >= 3)
  )
}

/** The values inside a header value: itself, its words, what follows `name=`, and all of these decoded. */
function listTokenCandidates(value: string): string[] {
  const parts = value.split(/[\s,;]+/).slice(0, MAX_CANDIDATES)
  const afterScheme = value.slice(value.indexOf(' ') + 1)
  const assigned = parts.map((word) => word.slice(word.indexOf('=') + 1).replace(/^"|"$/g, ''))
  const plain = [value, afterScheme, ...parts, ...assigned]
  const decoded = plain.flatMap((text) => {
    const pair = /^[\w+/-]{8,}=*$/.test(text) ? Buffer.from(text, 'base64').toString() : ''
    const at = pair.indexOf(':')
    return [pair, pair.slice(0, Math.max(at, 0)), pair.slice(at + 1), decodeUrl(text)]
  })
  return [...new Set([...plain, ...decoded])].filter(
    (candidate) => candidate.length >= MIN_TOKEN_LENGTH,
  )
}

function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

interface FoundToken {
  readonly value: string
  /** The object that contains it, and its ancestors. */
  readonly ancestors: readonly Record<string, unknown>[]
}

function findInJson(json: unknown, headerTokens: ReadonlySet<string>): FoundToken | undefined {
  const stack: [unknown, readonly Record<string, unknown>[]][] = [[json, []]]
  let visitedCount = 0
  for (
    let next = stack.pop();
    next !== undefined && visitedCount < MAX_VALUES;
    next = stack.pop()
  ) {
    const [value, ancestors] = next
    visitedCount += 1
    if (typeof value === 'string' && headerTokens.has(value)) return { value, ancestors }
    if (typeof value !== 'object' || value === null || ancestors.length >= MAX_DEPTH) continue
    const innerAncestors = [value as Record<string, unknown>, ...ancestors]
    for (const inner of Object.values(value)) stack.push([inner, innerAncestors])
  }
  return undefined
}

const MIN_TOKEN_LENGTH = 6
const MAX_CANDIDATES = 50
const MAX_VALUES = 2_000
const MAX_DEPTH = 8
