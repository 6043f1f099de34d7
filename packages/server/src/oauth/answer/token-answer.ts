import type { GateResponse } from '@linchpin/runner'
import { type AnswerFields, asFields, field, readAnswerBody } from './answer-body.ts'
import { type AnswerError, answerError, describeError } from './answer-error.ts'
import { extraFacts } from './extra-facts.ts'
import { retryAfterMs } from './retry-after.ts'
import { tokenExpiry } from './token-expiry.ts'
import type { TokenResult, Tokens, Unavailable } from './token-result.ts'

/** What judging an answer needs to know. */
export interface JudgeContext {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Values that must not appear in any text of the result. */
  readonly secrets: unknown
}

/** The part of an answer that is judged. */
export type Answer = Pick<GateResponse, 'status' | 'rawHeaders' | 'body'>

/**
 * Judges the answer of a token endpoint (RFC 6749 sections 5.1 and 5.2 and what providers make of them). Never throws.
 *
 * A status of 5xx or 429 is never the provider's word about a grant. Otherwise an error in the body counts whatever the
 * status, and tokens count only with a 2xx.
 */
export function judgeTokenAnswer(answer: Answer, context: JudgeContext): TokenResult {
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
  if (error) return refusal(error, answer, context)
  const tokens = readTokens(fields, context.now)
  return tokens ? { kind: 'tokens', tokens } : unavailable('bad_answer', true, answer, context)
}

/** The first value of a header in a list of names and values in turn. */
export function headerOf(rawHeaders: readonly string[], name: string): string | undefined {
  const at = rawHeaders.findIndex((item, index) => index % 2 === 0 && item.toLowerCase() === name)
  return at === -1 ? undefined : rawHeaders[at + 1]
}

function unavailable(
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

/** Some providers say "not now" with a status that means "no". */
function refusal(error: AnswerError, answer: Answer, context: JudgeContext): TokenResult {
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
/** Where providers put the tokens when they are not at the top. */
const WRAPPERS: readonly string[] = ['authed_user', 'data', 'result', 'response', 'token', 'tokens']
/** Longest access or refresh token, in characters. */
const LONGEST_TOKEN = 16_384

function readTokens(fields: AnswerFields, now: number): Tokens | undefined {
  const nested = WRAPPERS.map((name) => asFields(field(fields, name)))
  const places = [fields, ...nested].filter((each) => each !== undefined)
  const place = places.find((each) => read(each, 'access_token') !== undefined)
  if (!place) return undefined
  const accessToken = read(place, 'access_token')
  const refreshToken = read(place, 'refresh_token')
  const tokenType = read(place, 'token_type')
  if (!isToken(accessToken)) return undefined
  // A refresh token that cannot be kept is worse than no answer: the old one may be dead.
  if (refreshToken !== undefined && !isToken(refreshToken)) return undefined
  const type = typeof tokenType === 'string' ? tokenType.trim() : ''
  // They need a proof of possession that nobody here can give (RFC 9449).
  if (/^(?:mac|dpop|pop)$/i.test(type)) return undefined
  return {
    accessToken,
    tokenType: /^[\w.:-]{1,64}$/.test(type) ? type : 'bearer',
    expiresAt: tokenExpiry(place, now),
    refreshToken,
    scope: readScope(read(place, 'scope') ?? read(place, 'scopes')),
    extra: extraFacts(place === fields ? [fields] : [place, without(fields, WRAPPERS)]),
  }
}

function without(fields: AnswerFields, names: readonly string[]): AnswerFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

/** A field by its name of the RFC or the same in camel case; null and '' count as absent. */
function read(fields: AnswerFields, name: string): unknown {
  const camel = name.replace(/_(\w)/, (_whole, letter: string) => letter.toUpperCase())
  const value = field(fields, name) ?? field(fields, camel)
  return value === null || value === '' ? undefined : value
}

/** Visible ASCII only: everything else breaks the header that will carry it. */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_TOKEN && /^[\x21-\x7e]+$/.test(value)
}

function readScope(value: unknown): string | undefined {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  const scopes = list.filter((scope) => typeof scope === 'string').join(' ')
  return /^[\x20-\x7e]{1,8192}$/.test(scopes) ? scopes : undefined
}
