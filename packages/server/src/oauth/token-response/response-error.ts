import { createScrubber, type Scrubber, scrub } from '@linchpin/runner'

/** A JSON object, or a parsed form. Without a prototype, because names such as `__proto__` are ordinary data here. */
export type ResponseFields = Readonly<Record<string, unknown>>

/** An error reported in a response. */
export interface ResponseError {
  /** Lower case. A code of RFC 6749 if one applies; `unspecified` if the response has no code. */
  readonly code: string
  /** One line without secrets, at most 200 characters. */
  readonly description: string
}

/** The error that the first of these objects reports. `secrets` are removed from all text. */
export function describeError(sources: readonly ResponseFields[], secrets: unknown): ResponseError {
  const scrubber = createScrubber(secrets)
  // A known code takes precedence over text that only has the form of a code.
  const code =
    findFirstMatch(sources, CODE_FIELDS, (text) =>
      KNOWN_CODES.get(normalizeErrorCode(text) ?? ''),
    ) ?? findFirstMatch(sources, CODE_FIELDS, (text) => redactCode(text, scrubber))
  const message = findFirstMatch(sources, DESCRIPTION_FIELDS, (text) => toOneLine(scrubber(text)))
  return { code: code ?? 'unspecified', description: message ?? '' }
}

/** Converts a provider's code to lower case with underscores, without a suffix after a colon. Undefined if invalid. */
export function normalizeErrorCode(text: string): string | undefined {
  const [rawCode = ''] = text.slice(0, MAX_LENGTH).split(': ', 1)
  const code = rawCode.trim().toLowerCase().replaceAll(/[ -]/g, '_')
  return /^[a-z][a-z0-9_.]{1,63}$/.test(code) && !GENERIC_CODES.has(code) ? code : undefined
}

/** A provider's text as one line without secrets, at most 200 characters; empty if the secrets cannot be removed. */
export function sanitizeMessage(text: string, secrets: unknown): string {
  return toOneLine(scrub(text, secrets))
}

function toOneLine(text = ''): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH)
    .toWellFormed()
}

function redactCode(text: string, scrubber: Scrubber): string | undefined {
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

/** Codes of RFC 6749 section 5.2, with the aliases that providers use. */
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
    // For a refresh, the last three mean that the user has to reauthorize.
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
    // Not an RFC code, but the most common name.
    redirect_uri_mismatch: ['bad_redirect_uri', 'invalid_redirect_uri'],
  }).flatMap(([code, aliases]) => [code, ...aliases].map((name) => [name, code] as const)),
)

function findFirstMatch(
  sources: readonly ResponseFields[],
  names: readonly string[],
  normalize: (text: string) => string | undefined,
): string | undefined {
  for (const source of sources) {
    for (const name of names) {
      const value = source[name]
      const match = typeof value === 'string' ? normalize(value) : undefined
      if (match) return match
    }
  }
  return undefined
}
