import type { EgressResponse } from '@linchpin/runner'
import { parseResponseBody, type ResponseFields, reportsError } from './parse-response-body.ts'
import { describeError, type ResponseError } from './response-error.ts'
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
  return toErrorResult(describeError(fields, context.secrets), response, context)
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
