import type { EgressResponse } from '@linchpin/runner'
import { describeError, type ResponseError, type ResponseFields } from './response-error.ts'
import type { TokenErrorResult, TokenUnavailableResult } from './token-result.ts'

/** The context of parsing a response. */
export interface ParseContext {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Values to remove from all text of the result. */
  readonly secrets: unknown
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
 * A status of 5xx or 429 does not reveal the state of the grant. For any other status, an error in the body is a refusal, and
 * success requires a 2xx.
 */
export function parseOAuthResponse(
  response: HttpResponse,
  context: ParseContext,
): SuccessResponse | TokenErrorResult | TokenUnavailableResult {
  const { status, rawHeaders, body } = response
  if (status === 429) return toUnavailable('rate_limited', false, response, context)
  // 501 and 503 are sent before the request is processed; the others may follow a processed request.
  if (status >= 500) {
    return toUnavailable('server_error', status !== 501 && status !== 503, response, context)
  }
  if (status === 408 || status === 425)
    return toUnavailable('server_error', false, response, context)
  const isSuccess = status >= 200 && status < 300
  const fields = parseResponseBody(body, getHeader(rawHeaders, 'content-type') ?? '')
  if (!fields || (!isSuccess && status < 400)) {
    return toUnavailable('invalid_response', isSuccess, response, context)
  }
  if (isSuccess && !reportsError(fields)) return { kind: 'success', fields }
  return toErrorResult(getResponseError(fields, context.secrets), response, context)
}

/**
 * Parses a response body as JSON or as a form. The format is detected, because providers send wrong content types.
 * Undefined for anything else: HTML, arrays, strings, empty bodies, invalid UTF-8, forms with repeated names.
 */
export function parseResponseBody(
  body: Uint8Array,
  contentType: string,
): ResponseFields | undefined {
  const text = decode(body)?.trim()
  if (!text) return undefined
  const json = parseJson(text)
  if (json !== undefined) return asObject(json)
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType.trim())
  return isForm || FORM_PATTERN.test(text) ? parseForm(text) : undefined
}

/** `name=value&…` without whitespace and tags. */
const FORM_PATTERN = /^[\w.-]{1,64}=[^\s<>{}]*$/

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseForm(text: string): ResponseFields | undefined {
  if (/[<\s]/.test(text)) return undefined
  const entries = [...new URLSearchParams(text)]
  const hasRepeatedNames = new Set(entries.map(([name]) => name)).size < entries.length
  return hasRepeatedNames ? undefined : asObject(Object.fromEntries(entries))
}

/** The value as an object with fields; undefined if it is not an object. */
export function asObject(value: unknown): ResponseFields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.assign(Object.create(null), value)
}

/** Whether a response reports an error regardless of its status: `error`, `ok: false`, `success: false`. */
export function reportsError(fields: ResponseFields): boolean {
  const hasError = !EMPTY_ERRORS.has(JSON.stringify(fields.error))
  const isUnsuccessful = fields.ok === false || fields.success === false
  return hasError || isUnsuccessful
}

/** Values of `error` that some providers send with tokens. */
const EMPTY_ERRORS: ReadonlySet<string | undefined> = new Set([
  undefined,
  'null',
  'false',
  '0',
  '""',
  '[]',
  '{}',
])

/** The error in a response: `error` as string or object. `secrets` are removed from all text. */
export function getResponseError(fields: ResponseFields, secrets: unknown): ResponseError {
  const inner = asObject(fields.error)
  return describeError(inner ? [inner, fields] : [fields], secrets)
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

/** The first value of a header in a flat list of names and values. */
export function getHeader(rawHeaders: readonly string[], name: string): string | undefined {
  const nameIndex = rawHeaders.findIndex(
    (item, index) => index % 2 === 0 && item.toLowerCase() === name,
  )
  return nameIndex === -1 ? undefined : rawHeaders[nameIndex + 1]
}

/** Some providers report rate limits and outages with a status that means refusal. */
function toErrorResult(
  error: ResponseError,
  response: HttpResponse,
  context: ParseContext,
): TokenErrorResult | TokenUnavailableResult {
  if (RATE_LIMIT_CODES.test(error.code))
    return toUnavailable('rate_limited', false, response, context)
  if (TRANSIENT_CODES.has(error.code)) return toUnavailable('server_error', true, response, context)
  return { kind: 'refused', error: error.code, description: error.description }
}

const RATE_LIMIT_CODES = /^(?:rate_?limit(?:ed|_exceeded)?|too_many_requests|slow_down)$/
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'fatal_error',
  'internal_error',
  'internal_server_error',
  'request_timeout',
  'server_error',
  'service_unavailable',
  'temporarily_unavailable',
])

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
