import {
  asObject,
  type HttpResponse,
  type ParseContext,
  parseOAuthResponse,
  toUnavailable,
} from './parse-oauth-response.ts'
import type { ResponseFields } from './response-error.ts'
import type { TokenResult, Tokens } from './token-result.ts'

/**
 * Parses the response of a token endpoint (RFC 6749 sections 5.1 and 5.2, and common deviations). Never throws.
 */
export function parseTokenResponse(response: HttpResponse, context: ParseContext): TokenResult {
  const parsed = parseOAuthResponse(response, context)
  if (parsed.kind !== 'success') return parsed
  const tokens = parseTokens(parsed.fields, context.now)
  return tokens
    ? { kind: 'tokens', tokens }
    : toUnavailable('invalid_response', true, response, context)
}

/** Fields in which some providers nest the tokens. */
const WRAPPER_FIELDS: readonly string[] = [
  'authed_user',
  'data',
  'result',
  'response',
  'token',
  'tokens',
]
/** Maximum length of an access or refresh token, in characters. */
const MAX_TOKEN_LENGTH = 16_384

function parseTokens(fields: ResponseFields, now: number): Tokens | undefined {
  const nested = WRAPPER_FIELDS.map((name) => asObject(fields[name]))
  const candidates = [fields, ...nested].filter((candidate) => candidate !== undefined)
  const tokenFields = candidates.find(
    (candidate) => readField(candidate, 'access_token') !== undefined,
  )
  if (!tokenFields) return undefined
  const accessToken = readField(tokenFields, 'access_token')
  const refreshToken = readField(tokenFields, 'refresh_token')
  const tokenType = readField(tokenFields, 'token_type')
  if (!isToken(accessToken)) return undefined
  // Reject the response: the old refresh token may be revoked, and the new one cannot be stored.
  if (refreshToken !== undefined && !isToken(refreshToken)) return undefined
  const type = typeof tokenType === 'string' ? tokenType.trim() : ''
  // Sender-constrained tokens (RFC 9449) are not supported.
  if (/^(?:mac|dpop|pop)$/i.test(type)) return undefined
  return {
    accessToken,
    tokenType: /^[\w.:-]{1,64}$/.test(type) ? type : 'bearer',
    expiresAt: getTokenExpiry(tokenFields, now),
    refreshToken,
    scope: parseScope(readField(tokenFields, 'scope') ?? readField(tokenFields, 'scopes')),
    extra: getExtraFields(
      tokenFields === fields ? [fields] : [tokenFields, omit(fields, WRAPPER_FIELDS)],
    ),
  }
}

function omit(fields: ResponseFields, names: readonly string[]): ResponseFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

/** A field by its RFC name or the same name in camel case. null and '' count as absent. */
function readField(fields: ResponseFields, name: string): unknown {
  const camel = name.replace(/_(\w)/, (_match, letter: string) => letter.toUpperCase())
  const value = fields[name] ?? fields[camel]
  return value === null || value === '' ? undefined : value
}

/** Visible ASCII only: any other character is invalid in a header. */
function isToken(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= MAX_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(value)
  )
}

function parseScope(value: unknown): string | undefined {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  const scopes = list.filter((scope) => typeof scope === 'string').join(' ')
  return /^[\x20-\x7e]{1,8192}$/.test(scopes) ? scopes : undefined
}

/**
 * The expiry of an access token in milliseconds since 1970, parsed from seconds (number or string) or a date. Undefined
 * if it is absent, invalid, not positive or in the past.
 */
function getTokenExpiry(fields: ResponseFields, now: number): number | undefined {
  for (const name of EXPIRY_FIELDS) {
    const instant = parseInstant(fields[name], now)
    if (instant !== undefined && instant > now) return instant
  }
  return undefined
}

const EXPIRY_FIELDS: readonly string[] = [
  'expires_in',
  'expiresIn',
  'expires_at',
  'expiresAt',
  'expires',
]
/** Numbers below this (31 years) are a duration in seconds. */
const MAX_DURATION_SECONDS = 1e9
/** Numbers below this (year 5138) are seconds since 1970. */
const MAX_EPOCH_SECONDS = 1e11
/** Numbers below this (the same year) are milliseconds since 1970. */
const MAX_EPOCH_MS = 1e14

function parseInstant(value: unknown, now: number): number | undefined {
  const number = parseNumber(value)
  if (number === undefined) return typeof value === 'string' ? parseDate(value) : undefined
  if (number >= MAX_EPOCH_MS) return undefined
  if (number < MAX_DURATION_SECONDS) return now + Math.floor(number * 1_000)
  return Math.floor(number < MAX_EPOCH_SECONDS ? number * 1_000 : number)
}

function parseNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'string' || !/^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(value))
    return undefined
  return Number(value)
}

/** ISO 8601 or an HTTP or email date. Other formats are rejected, because Date.parse would guess. */
function parseDate(text: string): number | undefined {
  if (!/^(?:\d{4}-\d\d-\d\d[T ]|[A-Z][a-z]{2}, \d\d? )/.test(text) || text.length > 40)
    return undefined
  const instant = Date.parse(text)
  return Number.isNaN(instant) ? undefined : instant
}

/**
 * Plain values of a token response besides the tokens: at most 20 strings (up to 500 characters), numbers and booleans.
 * Values one level down get a dotted name (`team.id`). Tokens, secrets and reserved names are dropped.
 */
function getExtraFields(responses: readonly ResponseFields[]): Record<string, ExtraValue> {
  const extra = new Map<string, ExtraValue>()
  for (const fields of responses) {
    for (const [name, value] of Object.entries(fields).flatMap(flattenField)) {
      if (extra.size >= MAX_FIELDS || extra.has(name)) continue
      if (isAllowedName(name) && isExtraValue(value)) extra.set(name, value)
    }
  }
  return Object.fromEntries(extra)
}

type ExtraValue = string | number | boolean

const MAX_FIELDS = 20
const MAX_VALUE_LENGTH = 500
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'api_key',
  'authtype',
  'client_id',
  'code',
  'error',
  'error_description',
  'expires',
  'expires_at',
  'expires_in',
  'expiresat',
  'expiresin',
  'ok',
  'redirect_uri',
  'scope',
  'scopes',
  'state',
  'success',
])

function flattenField([name, value]: [string, unknown]): [string, unknown][] {
  const inner = asObject(value)
  if (inner === undefined) return [[name, value]]
  return Object.entries(inner).map(([last, each]) => [`${name}.${last}`, each])
}

function isAllowedName(name: string): boolean {
  if (!/^[A-Za-z][\w.-]{0,63}$/.test(name) || name in Object.prototype) return false
  const last = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return !RESERVED_NAMES.has(last) && !/token|secret|password|assertion|jwt|api_?key/.test(last)
}

function isExtraValue(value: unknown): value is ExtraValue {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'boolean') return true
  return (
    typeof value === 'string' &&
    /^[^\p{Cc}\p{Cs}]*$/u.test(value) &&
    value.length <= MAX_VALUE_LENGTH
  )
}
