import { type EgressResponse, getHeader, getTokenExpiry, parseFormFields } from '@linchpin/runner'
import { parseJson } from '../../../platform/json.ts'
import { getDeclaredMeaning, type RefreshErrorRules } from '../spec/parse-oauth-type.ts'
import {
  classifyRefusal,
  describeError,
  isClientCode,
  type RefusalMeaning,
  type ResponseFields,
} from './response-error.ts'
import type {
  NestedTokens,
  TokenErrorResult,
  TokenResult,
  Tokens,
  TokenUnavailableResult,
} from './token-result.ts'

/** The context of parsing a response. */
export interface ParseContext {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Values to remove from all text of the result. */
  readonly secrets: unknown
  /** For a refresh: what the integration declares about responses to it. */
  readonly refreshErrors?: RefreshErrorRules | undefined
}

/** The parsed parts of a response. */
export type HttpResponse = Pick<EgressResponse, 'status' | 'rawHeaders' | 'body'>

/** A successful response; its fields are not validated yet. */
interface SuccessResponse {
  readonly kind: 'success'
  readonly fields: ResponseFields
}

/**
 * Parses the response of the token endpoint (RFC 6749 sections 5.1 and 5.2) or of the pushed authorization request
 * endpoint, which has the same errors (RFC 9126 section 2.3). Never throws.
 *
 * Success requires a 2xx without an error in the body. What the integration declares comes first. Otherwise a status of 5xx or
 * 429 does not reveal the state of the grant, and for any other status an error in the body is a refusal.
 */
export function parseOAuthResponse(
  response: HttpResponse,
  context: ParseContext,
): SuccessResponse | TokenErrorResult | TokenUnavailableResult {
  const { status, rawHeaders, body } = response
  const fields = parseResponseBody(body, getHeader(rawHeaders, 'content-type') ?? '')
  const isSuccess = status >= 200 && status < 300
  if (fields && isSuccess && !reportsError(fields)) return { kind: 'success', fields }
  const declared = fields && findDeclared(fields, response, context)
  if (fields && declared) return toFailure(declared, fields, response, context)
  if (status === 429) return toUnavailable('rate_limited', false, response, context)
  // 501 and 503 are sent before the request is processed; the others may follow a processed request.
  if (status >= 500) {
    return toUnavailable('server_error', status !== 501 && status !== 503, response, context)
  }
  if (status === 408 || status === 425)
    return toUnavailable('server_error', false, response, context)
  if (!fields || (!isSuccess && status < 400)) {
    return toUnavailable('invalid_response', isSuccess, response, context)
  }
  return toFailure(classifyFields(fields, response, context), fields, response, context)
}

/**
 * A 2xx without usable tokens: a refusal if it says that the grant has ended or why there are none, as providers do that always
 * send 200; otherwise an invalid response, which may have replaced the refresh token.
 */
function parseWithoutTokens(
  fields: ResponseFields,
  response: HttpResponse,
  context: ParseContext,
): TokenErrorResult | TokenUnavailableResult {
  const meaning =
    findDeclared(fields, response, context) ?? classifyFields(fields, response, context)
  return meaning === 'unknown' || meaning === 'ambiguous'
    ? toUnavailable('invalid_response', true, response, context)
    : toFailure(meaning, fields, response, context)
}

/** What the integration declares about a response, which may mean something else by its status and its codes. */
function findDeclared(
  fields: ResponseFields,
  { status }: HttpResponse,
  { refreshErrors }: ParseContext,
): RefusalMeaning | undefined {
  const means = getDeclaredMeaning(refreshErrors, status, fields)
  return means === 'temporary' ? 'server_error' : means
}

function classifyFields(
  fields: ResponseFields,
  { status, rawHeaders }: HttpResponse,
  { secrets, refreshErrors, now }: ParseContext,
): RefusalMeaning {
  return classifyRefusal({
    status,
    fields,
    error: describeError(fields, secrets),
    isRefresh: refreshErrors !== undefined,
    hasRetryAfter: parseRetryAfter(getHeader(rawHeaders, 'retry-after'), now) !== undefined,
  })
}

function toFailure(
  meaning: RefusalMeaning,
  fields: ResponseFields,
  response: HttpResponse,
  context: ParseContext,
): TokenErrorResult | TokenUnavailableResult {
  switch (meaning) {
    case 'rate_limited':
    case 'conflict':
      return toUnavailable(meaning, false, response, context)
    case 'server_error':
      return toUnavailable(meaning, true, response, context)
    case 'ambiguous':
      return toUnavailable('ambiguous_refusal', false, response, context)
    default: {
      const { code, description } = describeError(fields, context.secrets)
      return { kind: 'refused', error: toRefusalCode(meaning, code), description }
    }
  }
}

/** A code of RFC 6749 section 5.2 that has this meaning. */
function toRefusalCode(meaning: RefusalMeaning, code: string): string {
  if (meaning === 'ended') return 'invalid_grant'
  return meaning === 'client' && !isClientCode(code) ? 'invalid_client' : code
}

/**
 * Parses a response body as JSON or as a form. The format is detected, because providers send wrong content types.
 * Undefined for anything else: HTML, arrays, strings, empty bodies, forms with repeated names.
 */
export function parseResponseBody(
  body: Uint8Array,
  contentType: string,
): ResponseFields | undefined {
  const text = decode(body, contentType).trim()
  if (!text) return undefined
  const json = parseJson(text)
  if (json !== undefined) return asObject(json)
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType.trim())
  return isForm || FORM_PATTERN.test(text) ? parseForm(text) : undefined
}

/** `name=value&…` without whitespace and tags. */
const FORM_PATTERN = /^[\w.-]{1,64}=[^\s<>{}]*$/

/**
 * Tokens are ASCII, so a name in another encoding beside them must not lose them: the declared encoding, otherwise UTF-8,
 * otherwise Latin-1, which any bytes are.
 */
function decode(body: Uint8Array, contentType: string): string {
  const [, charset] = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType) ?? []
  const labels = [...(charset === undefined ? [] : [charset]), 'utf-8']
  for (const label of labels) {
    try {
      return new TextDecoder(label, { fatal: true }).decode(body)
    } catch {}
  }
  return new TextDecoder('latin1').decode(body)
}

function parseForm(text: string): ResponseFields | undefined {
  if (/[<\s]/.test(text)) return undefined
  const entries = parseFormFields(text)
  const hasRepeatedNames = new Set(entries.map(([name]) => name)).size < entries.length
  return hasRepeatedNames ? undefined : asObject(Object.fromEntries(entries))
}

/** The members that are objects, by their names. */
function getObjects(fields: ResponseFields): ReadonlyMap<string, ResponseFields> {
  const members = Object.entries(fields).flatMap(([name, value]) => {
    const inner = asObject(value)
    return inner === undefined ? [] : [[name, inner] as const]
  })
  return new Map(members)
}

/** The value as an object with fields; undefined if it is not an object. */
function asObject(value: unknown): ResponseFields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.assign(Object.create(null), value)
}

/** Whether a response reports an error regardless of its status: `error`, `ok: false`, `success: false`. */
export function reportsError(fields: ResponseFields): boolean {
  return !isEmptyError(fields.error) || fields.ok === false || fields.success === false
}

/** Values of `error` that some providers send with tokens. */
function isEmptyError(error: unknown): boolean {
  return typeof error === 'object' ? Object.keys(error ?? {}).length === 0 : !error
}

/** An unusable response, with its `Retry-After`. */
export function toUnavailable(
  reason: TokenUnavailableResult['reason'],
  replyMayBeLost: boolean,
  response: HttpResponse,
  { now }: ParseContext,
): TokenUnavailableResult {
  const retryDelayMs = parseRetryAfter(getHeader(response.rawHeaders, 'retry-after'), now)
  return {
    kind: 'unavailable',
    reason,
    replyMayBeLost,
    ...(retryDelayMs === undefined ? {} : { retryAfterMs: retryDelayMs }),
  }
}

/**
 * Parses `Retry-After` (RFC 9110 section 10.2.3: seconds or a date) to a delay in milliseconds, at most one day.
 * Undefined if it is absent, in the past or invalid.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value.length > 40) return undefined
  const text = value.trim()
  const delayMs = /^\d{1,12}$/.test(text) ? Number(text) * 1_000 : parseDate(text) - now
  return delayMs > 0 ? Math.min(delayMs, DAY_MS) : undefined
}

const DAY_MS = 86_400_000

function parseDate(text: string): number {
  return /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
}

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
