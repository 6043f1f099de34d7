import { type EgressResponse, getHeader, parseFormFields } from '@linchpin/runner'
import { parseJson } from '../../../platform/json.ts'
import { getDeclaredMeaning, type RefreshErrorRules } from '../spec/parse-oauth-type.ts'
import {
  classifyRefusal,
  describeError,
  isClientCode,
  type RefusalMeaning,
  type ResponseFields,
} from './response-error.ts'
import type { TokenErrorResult, TokenUnavailableResult } from './token-result.ts'

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
export interface SuccessResponse {
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
export function parseWithoutTokens(
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
export function getObjects(fields: ResponseFields): ReadonlyMap<string, ResponseFields> {
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
