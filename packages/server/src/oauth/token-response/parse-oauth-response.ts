import type { EgressResponse } from '@linchpin/runner'
import { parseResponseBody, type ResponseFields } from './parse-response-body.ts'
import { parseRetryAfter } from './parse-retry-after.ts'
import { describeError, findResponseError, type ResponseError } from './response-error.ts'
import type { Refused, Unavailable } from './token-result.ts'

/** What judging an answer needs to know. */
export interface ParseContext {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Values that must not appear in any text of the result. */
  readonly secrets: unknown
}

/** The part of an answer that is judged. */
export type HttpResponse = Pick<EgressResponse, 'status' | 'rawHeaders' | 'body'>

/** An answer that says yes; what it grants is still to be read. */
export interface SuccessResponse {
  readonly kind: 'granted'
  readonly fields: ResponseFields
}

/**
 * Judges what an endpoint for clients answered: the token endpoint (RFC 6749 sections 5.1 and 5.2) and the one for pushed
 * authorization requests, which fails alike (RFC 9126 section 2.3). Never throws.
 *
 * A status of 5xx or 429 is never the provider's word about a request. Otherwise an error in the body counts whatever the
 * status, and a yes counts only with a 2xx.
 */
export function parseOAuthResponse(
  response: HttpResponse,
  context: ParseContext,
): SuccessResponse | Refused | Unavailable {
  const { status, rawHeaders, body } = response
  if (status === 429) return toUnavailable('rate_limited', false, response, context)
  // 501 and 503 come before the work, the others may come after it.
  if (status >= 500) {
    return toUnavailable('server_error', status !== 501 && status !== 503, response, context)
  }
  if (status === 408 || status === 425)
    return toUnavailable('server_error', false, response, context)
  const isSuccess = status >= 200 && status < 300
  const fields = parseResponseBody(body, getHeader(rawHeaders, 'content-type') ?? '')
  if (!fields || (!isSuccess && status < 400)) {
    return toUnavailable('bad_answer', isSuccess, response, context)
  }
  const error = isSuccess
    ? findResponseError(fields, context.secrets)
    : describeError(fields, context.secrets)
  return error ? toErrorResult(error, response, context) : { kind: 'granted', fields }
}

/** An answer that cannot be used, with the wait that it asks for. */
export function toUnavailable(
  reason: Unavailable['reason'],
  replyMayBeLost: boolean,
  response: HttpResponse,
  { now }: ParseContext,
): Unavailable {
  const retryDelayMs = parseRetryAfter(getHeader(response.rawHeaders, 'retry-after'), now)
  return {
    kind: 'unavailable',
    reason,
    replyMayBeLost,
    ...(retryDelayMs === undefined ? {} : { retryAfterMs: retryDelayMs }),
  }
}

/** The first value of a header in a list of names and values in turn. */
export function getHeader(rawHeaders: readonly string[], name: string): string | undefined {
  const nameIndex = rawHeaders.findIndex(
    (item, index) => index % 2 === 0 && item.toLowerCase() === name,
  )
  return nameIndex === -1 ? undefined : rawHeaders[nameIndex + 1]
}

/** Some providers say "not now" with a status that means "no". */
function toErrorResult(
  error: ResponseError,
  response: HttpResponse,
  context: ParseContext,
): Refused | Unavailable {
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
