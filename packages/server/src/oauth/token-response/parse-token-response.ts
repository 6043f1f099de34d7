import { extraFields } from './extra-fields.ts'
import {
  type HttpResponse,
  type ParseContext,
  parseOAuthResponse,
  toUnavailable,
} from './parse-oauth-response.ts'
import { asObject, getField, type ResponseFields } from './parse-response-body.ts'
import { tokenExpiry } from './token-expiry.ts'
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
  const nested = WRAPPER_FIELDS.map((name) => asObject(getField(fields, name)))
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
    expiresAt: tokenExpiry(tokenFields, now),
    refreshToken,
    scope: parseScope(readField(tokenFields, 'scope') ?? readField(tokenFields, 'scopes')),
    extra: extraFields(
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
  const value = getField(fields, name) ?? getField(fields, camel)
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
