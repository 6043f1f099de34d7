import { collectErrorText, type ResponseError, type ResponseFields } from './response-error.ts'

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
