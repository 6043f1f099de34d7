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
 * Judges the answer of a token endpoint (RFC 6749 sections 5.1 and 5.2 and what providers make of them). Never throws.
 */
export function parseTokenResponse(response: HttpResponse, context: ParseContext): TokenResult {
  const parsed = parseOAuthResponse(response, context)
  if (parsed.kind !== 'granted') return parsed
  const tokens = parseTokens(parsed.fields, context.now)
  return tokens ? { kind: 'tokens', tokens } : toUnavailable('bad_answer', true, response, context)
}

/** Where providers put the tokens when they are not at the top. */
const WRAPPER_FIELDS: readonly string[] = [
  'authed_user',
  'data',
  'result',
  'response',
  'token',
  'tokens',
]
/** Longest access or refresh token, in characters. */
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
  // A refresh token that cannot be kept is worse than no answer: the old one may be dead.
  if (refreshToken !== undefined && !isToken(refreshToken)) return undefined
  const type = typeof tokenType === 'string' ? tokenType.trim() : ''
  // They need a proof of possession that nobody here can give (RFC 9449).
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

/** A field by its name of the RFC or the same in camel case; null and '' count as absent. */
function readField(fields: ResponseFields, name: string): unknown {
  const camel = name.replace(/_(\w)/, (_match, letter: string) => letter.toUpperCase())
  const value = getField(fields, name) ?? getField(fields, camel)
  return value === null || value === '' ? undefined : value
}

/** Visible ASCII only: everything else breaks the header that will carry it. */
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
