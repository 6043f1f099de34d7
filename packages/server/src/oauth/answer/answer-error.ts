import { createScrubber, type Scrubber, scrub } from '@linchpin/runner'
import { type AnswerFields, asFields, field } from './answer-body.ts'

/** An error that an answer speaks of. */
export interface AnswerError {
  /** Lower case; a code of RFC 6749 where one fits, `unspecified` when there is none. */
  readonly code: string
  /** One line without secrets, at most 200 characters. */
  readonly description: string
}

/**
 * The error in an answer, whatever its status: `error` as text or object, `ok: false`, `success: false`. Undefined when
 * it speaks of none. `secrets` are taken out of every text.
 */
export function answerError(fields: AnswerFields, secrets: unknown): AnswerError | undefined {
  const isSaid = !SAYS_NOTHING.has(JSON.stringify(field(fields, 'error')))
  const isDenied = field(fields, 'ok') === false || field(fields, 'success') === false
  if (!isSaid && !isDenied) return undefined
  return describeError(fields, secrets)
}

/** What some providers send as `error` beside tokens. */
const SAYS_NOTHING: ReadonlySet<string | undefined> = new Set([
  undefined,
  'null',
  'false',
  '0',
  '""',
  '[]',
  '{}',
])

/** The same for an answer whose status already says that it is an error. */
export function describeError(fields: AnswerFields, secrets: unknown): AnswerError {
  const scrubber = createScrubber(secrets)
  const inner = asFields(field(fields, 'error'))
  const places = inner ? [inner, fields] : [fields]
  // A code that is known wins over words that only look like one.
  const code =
    firstText(places, CODES, (text) => KNOWN.get(readCode(text) ?? '')) ??
    firstText(places, CODES, (text) => secretFreeCode(text, scrubber))
  const words = firstText(places, WORDS, (text) => oneLine(scrubber(text)))
  return { code: code ?? 'unspecified', description: words ?? '' }
}

/** A provider's code in lower case with underscores, without the words that some put behind a colon; undefined: none. */
export function readCode(text: string): string | undefined {
  const [said = ''] = text.slice(0, LONGEST).split(': ', 1)
  const code = said.trim().toLowerCase().replaceAll(/[ -]/g, '_')
  return /^[a-z][a-z0-9_.]{1,63}$/.test(code) && !NO_CODES.has(code) ? code : undefined
}

/** A text of a provider as one line without secrets, at most 200 characters; empty when it cannot be cleared of them. */
export function cleanWords(text: string, secrets: unknown): string {
  return oneLine(scrub(text, secrets))
}

function oneLine(text = ''): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST)
    .toWellFormed()
}

function secretFreeCode(text: string, scrubber: Scrubber): string | undefined {
  const head = text.slice(0, LONGEST)
  return scrubber(head) === head ? readCode(head) : undefined
}

const CODES: readonly string[] = ['error', 'code', 'type', 'status', 'errorCode', 'error_code']
const WORDS: readonly string[] = [
  'error_description',
  'errorDescription',
  'message',
  'error_message',
  'errorSummary',
  'description',
  'detail',
  'reason',
]
const LONGEST = 200
const NO_CODES: ReadonlySet<string> = new Set(['error', 'fail', 'failed', 'failure', 'ok', 'oauth'])

/** Codes of RFC 6749 section 5.2, and the names that providers gave to the same. */
const KNOWN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    invalid_request: [],
    unauthorized_client: [],
    unsupported_grant_type: [],
    invalid_scope: [],
    invalid_client: [
      'bad_client_id',
      'bad_client_secret',
      'incorrect_client_credentials',
      'invalid_client_id',
      'invalid_client_secret',
    ],
    // For a refresh the last three mean the same: without the person nothing works any more.
    invalid_grant: [
      'bad_auth_code',
      'bad_code',
      'bad_refresh_token',
      'bad_verification_code',
      'code_already_used',
      'code_expired',
      'expired_refresh_token',
      'inactive_user',
      'invalid_code',
      'invalid_refresh_token',
      'refresh_token_expired',
      'refresh_token_revoked',
      'token_expired',
      'token_revoked',
      'consent_required',
      'interaction_required',
      'login_required',
    ],
    // No code of the RFC, but the name that most have for it.
    redirect_uri_mismatch: ['bad_redirect_uri', 'invalid_redirect_uri'],
  }).flatMap(([code, others]) => [code, ...others].map((name) => [name, code] as const)),
)

function firstText(
  places: readonly AnswerFields[],
  names: readonly string[],
  read: (text: string) => string | undefined,
): string | undefined {
  for (const place of places) {
    for (const name of names) {
      const value = field(place, name)
      const found = typeof value === 'string' ? read(value) : undefined
      if (found) return found
    }
  }
  return undefined
}
