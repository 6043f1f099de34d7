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

/** The error in a response, at the top, in `error` or in a list of errors. `secrets` are removed from all text. */
export function describeError(fields: ResponseFields, secrets: unknown): ResponseError {
  const sources = listErrorSources(fields)
  const scrubber = createScrubber(secrets)
  // A known code takes precedence over text that only has the form of a code.
  const code =
    findFirstMatch(sources, CODE_FIELDS, (text) => KNOWN_CODES.get(toCodeKey(text))) ??
    findFirstMatch(sources, CODE_FIELDS, (text) => redactCode(text, scrubber))
  const message = findFirstMatch(sources, DESCRIPTION_FIELDS, (text) => toOneLine(scrubber(text)))
  return { code: code ?? 'unspecified', description: message ?? '' }
}

/**
 * What a response says about its error, in words, to search for phrases: its codes, its texts, and the fields that its errors
 * are about. At most 2,000 characters. It may contain secrets.
 */
export function collectErrorText(fields: ResponseFields): string {
  const texts = listErrorSources(fields).flatMap((source) => {
    const subject = SUBJECT_FIELDS.map((name) => source[name]).find(isText) ?? ''
    const codes = CODE_FIELDS.map((name) => source[name]).filter(isText)
    const texts = DESCRIPTION_FIELDS.map((name) => source[name]).filter(isText)
    return [...texts, ...codes.map((code) => `${subject} ${toWords(code)}`)]
  })
  const joined = texts.map((text) => text.slice(0, MAX_SEARCHED)).join('. ')
  return joined.slice(0, MAX_SEARCHED).replaceAll(/["'`\s]+/g, ' ')
}

/**
 * The objects that may describe the error: those in `error` and in lists first, then the response itself. Text in their place
 * counts as a description; a list of texts by field, as Rails sends it, as errors about the field.
 */
function listErrorSources(fields: ResponseFields): ResponseFields[] {
  const sources: ResponseFields[] = []
  const visit = (value: unknown, subject: string, depth: number) => {
    if (sources.length >= MAX_SOURCES || depth > MAX_DEPTH) return
    if (Array.isArray(value))
      for (const item of value.slice(0, MAX_SOURCES)) visit(item, subject, depth + 1)
    else if (isText(value)) sources.push(toFields({ message: `${subject} ${value}`.trim() }))
    else if (typeof value === 'object' && value !== null) {
      const source = toFields(value)
      const isDescribed = [...CODE_FIELDS, ...DESCRIPTION_FIELDS].some((name) => name in source)
      if (isDescribed) sources.push(source)
      for (const [name, inner] of Object.entries(source).slice(0, MAX_SOURCES))
        if (!isDescribed || (NESTED_FIELDS.includes(name) && !isText(inner)))
          visit(inner, name, depth + 1)
    }
  }
  // As text, the others are codes and descriptions of the response itself.
  for (const name of NESTED_FIELDS)
    if (!isText(fields[name]) || name === 'errors') visit(fields[name], '', 0)
  const isStandard = KNOWN_CODES.has(toCodeKey(fields.error))
  return isStandard ? [fields, ...sources] : [...sources, fields]
}

function toFields(value: object): ResponseFields {
  return Object.assign(Object.create(null), value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** `refreshTokenExpired`, `REFRESH_TOKEN_EXPIRED` and `refresh_token_expired` as "refresh token expired". */
function toWords(code: string): string {
  return code.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_.-]+/g, ' ')
}

/** A code without case and separators. */
function toCodeKey(text: unknown): string {
  return isText(text) ? (normalizeErrorCode(text) ?? '').replaceAll(/[_.]/g, '') : ''
}

/** Where providers put the error of a response. */
const NESTED_FIELDS: readonly string[] = ['error', 'errors', 'error_details', 'details', 'detail']
/** The names of what an error is about. */
const SUBJECT_FIELDS: readonly string[] = ['field', 'param', 'parameter', 'resource', 'path']
const MAX_SOURCES = 20
const MAX_DEPTH = 4
const MAX_SEARCHED = 2_000

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
  'errorType',
  'error_type',
]
const DESCRIPTION_FIELDS: readonly string[] = [
  'error_description',
  'errorDescription',
  'message',
  'error_message',
  'errorSummary',
  'errorMessage',
  'description',
  'detail',
  'reason',
  'msg',
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

/** Codes of RFC 6749 section 5.2 by the names that providers use, without `_`. */
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
    // For a refresh, each means that the user has to reauthorize.
    invalid_grant: [
      'bad_auth_code',
      'bad_code',
      'bad_refresh_token',
      'bad_verification_code',
      'code_already_used',
      'code_expired',
      'consent_required',
      'expired_refresh_token',
      'expired_token',
      'grant_expired',
      'grant_not_found',
      'grant_revoked',
      'inactive_user',
      'interaction_required',
      'invalid_code',
      'invalid_refresh_token',
      'login_required',
      'reauthorization_required',
      'refresh_token_already_used',
      'refresh_token_expired',
      'refresh_token_not_found',
      'refresh_token_revoked',
      'revoked_token',
      'token_expired',
      'token_not_found',
      'token_revoked',
      'user_revoked',
    ],
    // Not an RFC code, but the most common name.
    redirect_uri_mismatch: ['bad_redirect_uri', 'invalid_redirect_uri'],
  }).flatMap(([code, aliases]) =>
    [code, ...aliases].map((name) => [name.replaceAll('_', ''), code] as const),
  ),
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
