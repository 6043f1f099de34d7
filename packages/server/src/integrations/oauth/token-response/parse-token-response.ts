import { getTokenExpiry } from '@linchpin/runner'
import {
  getObjects,
  type HttpResponse,
  type ParseContext,
  parseOAuthResponse,
  parseWithoutTokens,
  toUnavailable,
} from './parse-oauth-response.ts'
import type { ResponseFields } from './response-error.ts'
import type { NestedTokens, TokenResult, Tokens } from './token-result.ts'

/**
 * Parses the response of a token endpoint (RFC 6749 sections 5.1 and 5.2, and common deviations). Never throws.
 */
export function parseTokenResponse(response: HttpResponse, context: ParseContext): TokenResult {
  const parsed = parseOAuthResponse(response, context)
  if (parsed.kind !== 'success') return parsed
  const tokenFields = findTokenFields(parsed.fields)
  if (tokenFields === undefined) return parseWithoutTokens(parsed.fields, response, context)
  const tokens = parseTokens(parsed.fields, tokenFields, context.now)
  if (tokens !== undefined) return { kind: 'tokens', tokens }
  // The old refresh token may be revoked: the new one is not lost, although the access token is unusable.
  const rotatedToken = readField(tokenFields, 'refresh_token')
  return {
    ...toUnavailable('invalid_response', true, response, context),
    ...(isToken(rotatedToken) ? { rotatedToken } : {}),
  }
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

/** The object with the tokens. Undefined if there is none. */
function findTokenFields(fields: ResponseFields): ResponseFields | undefined {
  const objects = getObjects(fields)
  const nested = WRAPPER_FIELDS.map((name) => objects.get(name))
  const candidates = [fields, ...nested].filter((candidate) => candidate !== undefined)
  const find = (name: string) =>
    candidates.find((candidate) => readField(candidate, name) !== undefined)
  return find('access_token') ?? find('refresh_token')
}

function parseTokens(
  fields: ResponseFields,
  tokenFields: ResponseFields,
  now: number,
): Tokens | undefined {
  const accessToken = readField(tokenFields, 'access_token')
  const refreshToken = readField(tokenFields, 'refresh_token')
  const tokenType = readField(tokenFields, 'token_type')
  const idToken = readField(tokenFields, 'id_token')
  if (!isToken(accessToken)) return undefined
  // Reject the response: the old refresh token may be revoked, and the new one cannot be stored.
  if (refreshToken !== undefined && !isToken(refreshToken)) return undefined
  const type = typeof tokenType === 'string' ? tokenType.trim() : ''
  // Sender-constrained tokens (RFC 9449) are not supported.
  if (/^(?:mac|dpop|pop)$/i.test(type)) return undefined
  return {
    accessToken,
    tokenType: /^[\w.:-]{1,64}$/.test(type) ? type : 'bearer',
    expiresAt: getTokenExpiry(accessToken, [tokenFields, fields], now),
    refreshToken,
    ...(isToken(idToken) && { idToken }),
    // An empty scope says that nothing was granted; an absent one, that everything was (RFC 6749 section 5.1).
    scope:
      parseScope(readField(tokenFields, 'scope') ?? readField(tokenFields, 'scopes')) ??
      (tokenFields.scope === '' ? '' : undefined),
    nested: getNestedTokens(fields, accessToken, now),
    extra: getExtraFields(
      tokenFields === fields ? [fields] : [tokenFields, omit(fields, WRAPPER_FIELDS)],
    ),
  }
}

/** The usable tokens one level down that are not the main one. Unusable ones are dropped. */
function getNestedTokens(
  fields: ResponseFields,
  mainToken: string,
  now: number,
): Record<string, NestedTokens> {
  const nested = [...getObjects(fields)].flatMap(([name, inner]) => {
    if (!/^[A-Za-z][\w-]{0,39}$/.test(name)) return []
    const accessToken = readField(inner, 'access_token')
    if (!isToken(accessToken) || accessToken === mainToken) return []
    const refreshToken = readField(inner, 'refresh_token')
    const expiresAt = getTokenExpiry(accessToken, [inner], now)
    const tokens = {
      accessToken,
      refreshToken: isToken(refreshToken) ? refreshToken : undefined,
      expiresAt,
    }
    return [[name, tokens] as const]
  })
  return Object.fromEntries(nested.slice(0, MAX_NESTED_TOKENS))
}

const MAX_NESTED_TOKENS = 4

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
 * Plain values of a token response besides the tokens: at most 20 strings (up to 500 characters), numbers and booleans.
 * Values one level down get a dotted name (`team.id`). Tokens, secrets and reserved names are dropped.
 */
function getExtraFields(responses: readonly ResponseFields[]): Record<string, ExtraValue> {
  const extra = new Map<string, ExtraValue>()
  for (const fields of responses) {
    for (const [name, value] of flattenFields(fields)) {
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

function flattenFields(fields: ResponseFields): [string, unknown][] {
  const objects = getObjects(fields)
  return Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    const inner = objects.get(name)
    if (inner === undefined) return [[name, value]]
    return Object.entries(inner).map(([last, each]) => [`${name}.${last}`, each])
  })
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
