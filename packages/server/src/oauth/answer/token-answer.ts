import { type AnswerFields, asFields, field } from './answer-body.ts'
import { extraFacts } from './extra-facts.ts'
import { type Answer, type JudgeContext, judgeAnswer, unavailable } from './judge-answer.ts'
import { tokenExpiry } from './token-expiry.ts'
import type { TokenResult, Tokens } from './token-result.ts'

/**
 * Judges the answer of a token endpoint (RFC 6749 sections 5.1 and 5.2 and what providers make of them). Never throws.
 */
export function judgeTokenAnswer(answer: Answer, context: JudgeContext): TokenResult {
  const judged = judgeAnswer(answer, context)
  if (judged.kind !== 'granted') return judged
  const tokens = readTokens(judged.fields, context.now)
  return tokens ? { kind: 'tokens', tokens } : unavailable('bad_answer', true, answer, context)
}

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
