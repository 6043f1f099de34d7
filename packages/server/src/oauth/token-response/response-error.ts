import { createScrubber, type Scrubber, scrub } from '@linchpin/runner'
import { asObject, getField, type ResponseFields } from './parse-response-body.ts'

/** An error that an answer speaks of. */
export interface ResponseError {
  /** Lower case; a code of RFC 6749 where one fits, `unspecified` when there is none. */
  readonly code: string
  /** One line without secrets, at most 200 characters. */
  readonly description: string
}

/**
 * The error in an answer, whatever its status: `error` as text or object, `ok: false`, `success: false`. Undefined when
 * it speaks of none. `secrets` are taken out of every text.
 */
export function findResponseError(
  fields: ResponseFields,
  secrets: unknown,
): ResponseError | undefined {
  const hasError = !EMPTY_ERRORS.has(JSON.stringify(getField(fields, 'error')))
  const isUnsuccessful = getField(fields, 'ok') === false || getField(fields, 'success') === false
  if (!hasError && !isUnsuccessful) return undefined
  return describeError(fields, secrets)
}

/** What some providers send as `error` beside tokens. */
const EMPTY_ERRORS: ReadonlySet<string | undefined> = new Set([
  undefined,
  'null',
  'false',
  '0',
  '""',
  '[]',
  '{}',
])

/** The same for an answer whose status already says that it is an error. */
export function describeError(fields: ResponseFields, secrets: unknown): ResponseError {
  const scrubber = createScrubber(secrets)
  const inner = asObject(getField(fields, 'error'))
  const sources = inner ? [inner, fields] : [fields]
  // A code that is known wins over words that only look like one.
  const code =
    firstMatch(sources, CODE_FIELDS, (text) => KNOWN_CODES.get(normalizeErrorCode(text) ?? '')) ??
    firstMatch(sources, CODE_FIELDS, (text) => codeWithoutSecrets(text, scrubber))
  const message = firstMatch(sources, DESCRIPTION_FIELDS, (text) => oneLine(scrubber(text)))
  return { code: code ?? 'unspecified', description: message ?? '' }
}

/** A provider's code in lower case with underscores, without the words that some put behind a colon; undefined: none. */
export function normalizeErrorCode(text: string): string | undefined {
  const [rawCode = ''] = text.slice(0, MAX_LENGTH).split(': ', 1)
  const code = rawCode.trim().toLowerCase().replaceAll(/[ -]/g, '_')
  return /^[a-z][a-z0-9_.]{1,63}$/.test(code) && !GENERIC_CODES.has(code) ? code : undefined
}

/** A text of a provider as one line without secrets, at most 200 characters; empty when it cannot be cleared of them. */
export function sanitizeMessage(text: string, secrets: unknown): string {
  return oneLine(scrub(text, secrets))
}

function oneLine(text = ''): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH)
    .toWellFormed()
}

function codeWithoutSecrets(text: string, scrubber: Scrubber): string | undefined {
  const truncated = text.slice(0, MAX_LENGTH)
  return scrubber(truncated) === truncated ? normalizeErrorCode(truncated) : undefined
}

const CODE_FIELDS: readonly string[] = [
  'error',
  'code',
  'type',
  'status',
  'errorCode',
  'error_code',
]
const DESCRIPTION_FIELDS: readonly string[] = [
  'error_description',
  'errorDescription',
  'message',
  'error_message',
  'errorSummary',
  'description',
  'detail',
  'reason',
]
const MAX_LENGTH = 200
const GENERIC_CODES: ReadonlySet<string> = new Set([
  'error',
  'fail',
  'failed',
  'failure',
  'ok',
  'oauth',
])

/** Codes of RFC 6749 section 5.2, and the names that providers gave to the same. */
const KNOWN_CODES: ReadonlyMap<string, string> = new Map(
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
  }).flatMap(([code, aliases]) => [code, ...aliases].map((name) => [name, code] as const)),
)

function firstMatch(
  sources: readonly ResponseFields[],
  names: readonly string[],
  normalize: (text: string) => string | undefined,
): string | undefined {
  for (const source of sources) {
    for (const name of names) {
      const value = getField(source, name)
      const match = typeof value === 'string' ? normalize(value) : undefined
      if (match) return match
    }
  }
  return undefined
}
