import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { EgressResponse } from '../egress/egress.ts'
import { parseFormFields } from './searchable-request.ts'

/** Tokens returned by a token endpoint (RFC 6749 section 5.1). */
export interface TokenResponse {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Seconds. */
  readonly expiresIn: number | undefined
}

/**
 * The tokens in a 2xx response, in JSON or as a form; undefined without `access_token`. Bodies above 256 kB are
 * ignored.
 *
 * @param now epoch milliseconds of the response
 */
export async function readTokenResponse(
  response: EgressResponse,
  isDecoded: boolean,
  now: number,
): Promise<TokenResponse | undefined> {
  const text = await readResponseText(response, isDecoded)
  const fields = text === undefined ? undefined : (parseJson(text) ?? parseForm(text))
  if (!isRecord(fields)) return undefined
  const candidates = [fields, ...WRAPPERS.map((name) => fields[name])]
  const tokenFields = candidates.find((each) => isRecord(each) && isToken(each.access_token))
  if (!isRecord(tokenFields)) return undefined
  const { access_token, refresh_token } = tokenFields
  if (!isToken(access_token)) return undefined
  const seconds = Math.floor(
    ((getTokenExpiry(access_token, [tokenFields, fields], now) ?? 0) - now) / 1_000,
  )
  return {
    accessToken: access_token,
    refreshToken: isToken(refresh_token) ? refresh_token : undefined,
    expiresIn: seconds > 0 ? seconds : undefined,
  }
}

/** The text of a 2xx response; undefined for others, and for those larger than 256 kB. */
export async function readResponseText(
  { status, rawHeaders, body }: EgressResponse,
  isDecoded: boolean,
): Promise<string | undefined> {
  if (status < 200 || status > 299 || body.byteLength > MAX_BYTES) return undefined
  const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && /^content-encoding$/i.test(name))
  const coding = at === -1 || isDecoded ? '' : (rawHeaders[at + 1] ?? '').trim().toLowerCase()
  const decode = DECODERS.get(coding)
  try {
    const bytes = decode === undefined ? body : await decode(body, { maxOutputLength: MAX_BYTES })
    return Buffer.from(bytes).toString()
  } catch {
    return undefined
  }
}

const MAX_BYTES = 256 * 1024

const DECODERS: ReadonlyMap<
  string,
  (body: Uint8Array, o: { maxOutputLength: number }) => Promise<Uint8Array>
> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
])

/** Where providers put tokens that are not at the top level, as in responses to a sign-in (docs/bundles.md). */
const WRAPPERS = ['authed_user', 'data', 'result', 'response', 'token', 'tokens'] as const

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** GitHub's format unless JSON is requested. */
function parseForm(text: string): Record<string, string> | undefined {
  return /(?:^|&)access_token=/.test(text) ? Object.fromEntries(parseFormFields(text)) : undefined
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value)
}

/** The value of a JSON text; undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text)
  } catch {
    return undefined
  }
}

/**
 * When an access token expires, in epoch milliseconds: from the parameters of its token response (RFC 6749 section 5.1:
 * `expires_in`; other names, instants and dates), otherwise from the token. Never a parameter of the refresh token. Undefined
 * if it is unknown. A parameter that is not positive, invalid or in the past is ignored; `exp` of the token is not, and it ends a
 * lifetime that is longer.
 *
 * @param sources the object with the token first, then those around it
 * @param now epoch milliseconds of the response
 */
export function getTokenExpiry(
  token: string,
  sources: readonly Readonly<Record<string, unknown>>[],
  now: number,
): number | undefined {
  const reported = sources
    .map((fields) => getReportedExpiry(fields, now))
    .find((expiresAt) => expiresAt !== undefined)
  const ownExpiry = getJwtExpiry(token)
  if (reported === undefined || ownExpiry === undefined) return reported ?? ownExpiry
  // In the past, our clock differs from the provider's: a lifetime does not depend on it.
  return ownExpiry > now ? Math.min(reported, ownExpiry) : reported
}

/** RFC 7519 section 4.1.4: `exp` of a JWT in epoch milliseconds; undefined for any other token. */
export function getJwtExpiry(token: string): number | undefined {
  const [, payload = '', signature] = token.split('.')
  if (signature === undefined) return undefined
  const claims = parseJson(Buffer.from(payload, 'base64url').toString())
  const { exp } = (claims ?? {}) as { exp?: unknown }
  return typeof exp === 'number' && exp > 1e9 && exp < 1e11 ? Math.floor(exp * 1_000) : undefined
}

function getReportedExpiry(
  fields: Readonly<Record<string, unknown>>,
  now: number,
): number | undefined {
  const byName = new Map(
    Object.entries(fields).map(([name, value]) => [
      name.toLowerCase().replaceAll(/[_-]/g, ''),
      value,
    ]),
  )
  return EXPIRY_NAMES.map((name) => parseInstant(byName.get(name), now)).find(
    (instant) => instant !== undefined && instant > now,
  )
}

/** In lower case, without `_`. The unit of the first ones is certain: Zoho sends them beside `expires_in` in milliseconds. */
const EXPIRY_NAMES: readonly string[] = [
  'expiresinsec',
  'expiresinsecs',
  'expiresinseconds',
  'expiresin',
  'accesstokenexpiresin',
  'tokenexpiresin',
  'expiresat',
  'expireson',
  'expires',
  'accesstokenexpiresat',
  'accesstokenexpireson',
  'accesstokenexpiration',
  'accesstokenexpiry',
  'accesstokenexpires',
  'accesstokenexpirationtime',
  'tokenexpiresat',
  'tokenexpiration',
  'tokenexpiry',
  'tokenexpires',
  'expiration',
  'expirationtime',
  'expirationdate',
  'expiry',
  'expirydate',
  'expiresdate',
]
/** Numbers below this (31 years) are a duration in seconds. */
const MAX_DURATION_SECONDS = 1e9
/** Numbers below this (year 5138) are seconds since 1970. */
const MAX_EPOCH_SECONDS = 1e11
/** Numbers below this (the same year) are milliseconds since 1970. */
const MAX_EPOCH_MS = 1e14

function parseInstant(value: unknown, now: number): number | undefined {
  const number = parseDecimal(value)
  if (number === undefined) return typeof value === 'string' ? parseDate(value.trim()) : undefined
  if (number >= MAX_EPOCH_MS) return undefined
  if (number < MAX_DURATION_SECONDS) return now + Math.floor(number * 1_000)
  return Math.floor(number < MAX_EPOCH_SECONDS ? number * 1_000 : number)
}

function parseDecimal(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'string') return undefined
  const [, digits] = /^\s*(-?\d{1,15}(?:\.\d{1,15})?)\s*s?\s*$/.exec(value) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/**
 * ISO 8601 or an HTTP or email date. Other formats are rejected, because Date.parse would guess. Without an offset, it is UTC:
 * the time zone of this process means nothing to the provider.
 */
function parseDate(text: string): number | undefined {
  if (text.length > 40) return undefined
  const isIso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)
  if (!isIso && !/^[A-Z][a-z]{2}, \d\d? /.test(text)) return undefined
  const hasOffset = !isIso || /(?:Z|[+-]\d\d:?\d\d| ?UTC| ?GMT)$/i.test(text)
  const instant = Date.parse(hasOffset ? text : `${text.replace(' ', 'T')}Z`)
  return Number.isNaN(instant) ? undefined : instant
}
