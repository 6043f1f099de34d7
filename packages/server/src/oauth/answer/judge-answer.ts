import type { GateResponse } from '@linchpin/runner'
import { type AnswerFields, readAnswerBody } from './answer-body.ts'
import { type AnswerError, answerError, describeError } from './answer-error.ts'
import { retryAfterMs } from './retry-after.ts'
import type { Refused, Unavailable } from './token-result.ts'

/** What judging an answer needs to know. */
export interface JudgeContext {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Values that must not appear in any text of the result. */
  readonly secrets: unknown
}

/** The part of an answer that is judged. */
export type Answer = Pick<GateResponse, 'status' | 'rawHeaders' | 'body'>

/** An answer that says yes; what it grants is still to be read. */
export interface Granted {
  readonly kind: 'granted'
  readonly fields: AnswerFields
}

/**
 * Judges what an endpoint for clients answered: the token endpoint (RFC 6749 sections 5.1 and 5.2) and the one for pushed
 * authorization requests, which fails alike (RFC 9126 section 2.3). Never throws.
 *
 * A status of 5xx or 429 is never the provider's word about a request. Otherwise an error in the body counts whatever the
 * status, and a yes counts only with a 2xx.
 */
export function judgeAnswer(
  answer: Answer,
  context: JudgeContext,
): Granted | Refused | Unavailable {
  const { status, rawHeaders, body } = answer
  if (status === 429) return unavailable('rate_limited', false, answer, context)
  // 501 and 503 come before the work, the others may come after it.
  if (status >= 500) {
    return unavailable('server_error', status !== 501 && status !== 503, answer, context)
  }
  if (status === 408 || status === 425) return unavailable('server_error', false, answer, context)
  const isSuccess = status >= 200 && status < 300
  const fields = readAnswerBody(body, headerOf(rawHeaders, 'content-type') ?? '')
  if (!fields || (!isSuccess && status < 400)) {
    return unavailable('bad_answer', isSuccess, answer, context)
  }
  const error = isSuccess
    ? answerError(fields, context.secrets)
    : describeError(fields, context.secrets)
  return error ? refusal(error, answer, context) : { kind: 'granted', fields }
}

/** An answer that cannot be used, with the wait that it asks for. */
export function unavailable(
  reason: Unavailable['reason'],
  replyMayBeLost: boolean,
  answer: Answer,
  { now }: JudgeContext,
): Unavailable {
  const wait = retryAfterMs(headerOf(answer.rawHeaders, 'retry-after'), now)
  return {
    kind: 'unavailable',
    reason,
    replyMayBeLost,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  }
}

/** The first value of a header in a list of names and values in turn. */
export function headerOf(rawHeaders: readonly string[], name: string): string | undefined {
  const at = rawHeaders.findIndex((item, index) => index % 2 === 0 && item.toLowerCase() === name)
  return at === -1 ? undefined : rawHeaders[at + 1]
}

/** Some providers say "not now" with a status that means "no". */
function refusal(error: AnswerError, answer: Answer, context: JudgeContext): Refused | Unavailable {
  if (RATE_CODES.test(error.code)) return unavailable('rate_limited', false, answer, context)
  if (PASSING_CODES.has(error.code)) return unavailable('server_error', true, answer, context)
  return { kind: 'refused', error: error.code, description: error.description }
}

const RATE_CODES = /^(?:rate_?limit(?:ed|_exceeded)?|too_many_requests|slow_down)$/
const PASSING_CODES: ReadonlySet<string> = new Set([
  'fatal_error',
  'internal_error',
  'internal_server_error',
  'request_timeout',
  'server_error',
  'service_unavailable',
  'temporarily_unavailable',
])
