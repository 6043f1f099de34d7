import { createScrubber, type Scrubber, scrub } from '@linchpin/runner'

/** A JSON object, or a parsed form. Without a prototype, because names such as `__proto__` are ordinary data here. */
export type ResponseFields = Readonly<Record<string, unknown>>

/** An error reported in a response. */
interface ResponseError {
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
function collectErrorText(fields: ResponseFields): string {
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

/**
 * What a refusal of a token endpoint means for the grant:
 * - `ended`: the user has to reauthorize.
 * - `ambiguous`: `invalid_grant`, but what it says does not fit the request. It may be temporary.
 * - `rate_limited`, `server_error`, `conflict`: temporary. Conflict: another request of this grant is being processed.
 * - `client`: the client, or what it sends, is wrong. Only the operator can fix it.
 * - `unknown`: none of these.
 */
export type RefusalMeaning =
  | 'ended'
  | 'ambiguous'
  | 'rate_limited'
  | 'server_error'
  | 'conflict'
  | 'client'
  | 'unknown'

/** The response to classify. */
export interface Refusal {
  readonly status: number
  readonly fields: ResponseFields
  readonly error: ResponseError
  /** Whether the request used a refresh token: then "token" in a text means that token. */
  readonly isRefresh: boolean
  /** Whether the provider says when to try again. */
  readonly hasRetryAfter: boolean
}

/**
 * Classifies a refusal: by the code of RFC 6749 section 5.2 if it has one, otherwise by what providers send instead. If the
 * code and its description contradict each other, what does not end a connection wins.
 */
export function classifyRefusal(refusal: Refusal): RefusalMeaning {
  const { fields, error, isRefresh } = refusal
  const text = collectErrorText(fields)
  if (isTransient(fields)) return 'server_error'
  const byCode = getMeaningOfCode(error.code)
  if (byCode !== undefined && TEMPORARY_MEANINGS.has(byCode)) return byCode
  const saysEnded = isRefresh && !CLIENT_ONLY_CODES.has(error.code) && ENDED_TEXT.test(text)
  if (saysEnded) return 'ended'
  const temporary = getTemporaryMeaning(text)
  if (temporary !== undefined) return temporary
  if (error.code === 'invalid_grant')
    return isRefresh && (refusal.hasRetryAfter || CODE_TEXT.test(text)) ? 'ambiguous' : 'ended'
  if (byCode === 'client') return 'client'
  return classifyUnknown(refusal, text)
}

/** Whether a code is about the client or its request (RFC 6749 section 5.2), so that only the operator can act. */
export function isClientCode(code: string): boolean {
  return CLIENT_CODES.has(code)
}

/** A refusal without a code of RFC 6749. */
function classifyUnknown({ status, hasRetryAfter }: Refusal, text: string): RefusalMeaning {
  if (status === 409 || status === 423) return 'conflict'
  if (hasRetryAfter || OUTAGE_TEXT.test(text)) return 'server_error'
  return CLIENT_TEXT.test(text) ? 'client' : 'unknown'
}

function isTransient(fields: ResponseFields): boolean {
  const { error } = fields
  const inner = typeof error === 'object' && error !== null ? { ...error } : {}
  return [fields, inner].some((each: { is_transient?: unknown }) => each.is_transient === true)
}

/** The codes of RFC 6749 section 5.2 about the request or the client, and the codes of temporary failures. */
function getMeaningOfCode(code: string): RefusalMeaning | undefined {
  if (/^(?:rate_?limit\w*|too_?many_?\w+|slow_?down|throttl\w+|quota_?exceeded)$/.test(code))
    return 'rate_limited'
  if (TRANSIENT_CODES.has(code.replaceAll('_', ''))) return 'server_error'
  return isClientCode(code) ? 'client' : undefined
}

const TEMPORARY_MEANINGS: ReadonlySet<RefusalMeaning> = new Set(['rate_limited', 'server_error'])

const CLIENT_CODES: ReadonlySet<string> = new Set([
  'invalid_client',
  'invalid_request',
  'invalid_scope',
  'redirect_uri_mismatch',
  'unauthorized_client',
  'unsupported_grant_type',
])

/** Whatever the description says about a token, these are not about it. */
const CLIENT_ONLY_CODES: ReadonlySet<string> = new Set([
  'invalid_client',
  'invalid_scope',
  'unsupported_grant_type',
])

/** Without `_`. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'backenderror',
  'fatalerror',
  'gatewaytimeout',
  'internalerror',
  'internalfailure',
  'internalservererror',
  'overloaded',
  'requesttimeout',
  'servererror',
  'serviceunavailable',
  'temporarilyunavailable',
  'timeout',
  'tryagainlater',
])

function getTemporaryMeaning(text: string): RefusalMeaning | undefined {
  if (BUSY_TEXT.test(text)) return 'conflict'
  if (RATE_TEXT.test(text)) return 'rate_limited'
  return RETRY_TEXT.test(text) ? 'server_error' : undefined
}

const BUSY_TEXT =
  /\b(?:being processed|already in progress|(?:refresh|request) (?:is )?in progress|concurrent\w*|simultaneous\w*)\b/i

/** Zoho answers in the language of the account. */
const RATE_TEXT =
  /\btoo many (?:\w+ )?(?:requests|calls|attempts|tokens|refreshes|connections)\b|\brate[ -]?limit|\bthrottl|\b(?:quota|limit) (?:was |is |has been )?(?:exceeded|reached)|过多请求|请求过多|频繁/i

const RETRY_TEXT =
  /\b(?:try|retry)\b[^.]{0,40}\b(?:again|later|after|soon|shortly)\b|\btemporar(?:y|ily)\b|\btransient\b|\btry again\b|稍后再试/i

/** Too weak beside `invalid_grant`: a session that timed out has ended. */
const OUTAGE_TEXT =
  /\b(?:service|server|system|endpoint)\b[^.]{0,20}\b(?:unavailable|busy|overloaded|down)\b|\bmaintenance\b|\btimed? ?out\b|\b(?:internal|unexpected|unknown) (?:server )?error\b|\bsomething went wrong\b/i

/** A refresh sends no authorization code: what ended is something else. */
const CODE_TEXT = /^(?!.*\b(?:refresh|token)\b).*\bauth(?:ori[sz]ation)?[ _-]?code\b/i

const CLIENT_TEXT =
  /\b(?:invalid|incorrect|wrong|unknown|bad|validating)\b[^.]{0,12}\b(?:client|app(?:lication)?|api)[ _-]?(?:id|secret|credentials?|key)\b|\b(?:client|app(?:lication)?)[ _-]?(?:id|secret|credentials?)\b(?: \w+){0,3} (?:invalid|incorrect|wrong|unknown|not valid|not found|mismatch\w*)\b/i

const TOKEN = String.raw`(?:(?:access[ /]*)?refresh[ _-]?token|(?<!\b(?:csrf|xsrf|id|client|request)[ _-])(?:access[ _-]?)?token|session)`
const INVALID =
  '(?:invalid|expired|revoked|unknown|incorrect|inactive|malformed|bad|stale|deleted|wrong|not valid|not found|not active|not recogni[sz]ed|no longer (?:valid|active)|(?:already |been )+used|does not exist)'

/** The words must be adjacent: "invalid client for a refresh token" is not about the token. */
const ENDED_TEXT = new RegExp(
  [
    String.raw`\b${INVALID}(?: or ${INVALID})? ${TOKEN}\b(?! (?:grant|parameter|url|uri|type|flow|endpoint|request))`,
    String.raw`\b${TOKEN}(?: (?:passed|provided|given|supplied|you \w+))?:?(?: (?:is|was|has|been|already|either|or|${INVALID}))* ${INVALID}\b`,
    String.raw`\brequires an active refresh[ _-]?token\b`,
    String.raw`\b(?:user|customer|owner|member|merchant|account)\b[^.]{0,40}\b(?:revoked|deauthori[sz]ed|uninstalled|disabled|deactivated|deleted)\b`,
    String.raw`\b(?:app|application|integration)\b(?: \w+){0,2} (?:uninstalled|deauthori[sz]ed|disconnected)\b`,
    String.raw`\b(?:must|please|needs? to|has to|have to|required to) re-?(?:auth\w*|connect|consent)\b`,
  ].join('|'),
  'i',
)
