import { isCallbackParamName } from '../../definitions/spec/callback-param-name.ts'
import { normalizeErrorCode, sanitizeMessage } from '../token-response/response-error.ts'

/** What a provider sent the browser back with (RFC 6749 sections 4.1.2 and 4.1.2.1). */
export type AuthorizationResponse =
  | {
      readonly kind: 'code'
      readonly state: string
      readonly code: string
      readonly iss: string | undefined
      /** Other plain parameters, such as `realmId`, that a spec could name. The browser could have changed them. */
      readonly extra: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'error'
      readonly state: string
      /** `access_denied` when a person said no, whatever the provider calls it; `unspecified` when it is no code. */
      readonly error: string
      /** The provider's words, one line, at most 200 characters. For logs, not for pages. */
      readonly description: string
      readonly iss: string | undefined
    }
  | {
      readonly kind: 'invalid'
      readonly reason: 'state_missing' | 'code_missing' | 'repeated' | 'malformed'
      /** Set when it could be read, so that the attempt can be ended. */
      readonly state: string | undefined
    }

/** Reads the query of the callback. Never throws. A name that comes twice is refused (RFC 6749 section 3.1). */
export function parseAuthorizationResponse(query: string | URLSearchParams): AuthorizationResponse {
  const params = new URLSearchParams(query)
  const states = params.getAll('state')
  const state =
    states.length === 1 && isVisibleAscii(states[0], MAX_LENGTHS.state) ? states[0] : undefined
  const invalid = (reason: InvalidReason): AuthorizationResponse => ({
    kind: 'invalid',
    reason,
    state,
  })
  if (states.length === 0 || states[0] === '') return invalid('state_missing')
  if (PROTOCOL_PARAMS.some((name) => params.getAll(name).length > 1)) return invalid('repeated')
  // Without a value it counts as left out, as RFC 6749 section 3.1 says of requests.
  const code = params.get('code') || undefined
  const iss = params.get('iss') || undefined
  const error = params.get('error') || undefined
  if (state === undefined || (iss !== undefined && !isVisibleAscii(iss, MAX_LENGTHS.iss))) {
    return invalid('malformed')
  }
  if (error !== undefined) {
    if (code !== undefined) return invalid('malformed')
    const description = sanitizeMessage(params.get('error_description') ?? '', {})
    return { kind: 'error', state, error: parseErrorCode(error), description, iss }
  }
  if (code === undefined) return invalid('code_missing')
  if (!isVisibleAscii(code, MAX_LENGTHS.code)) return invalid('malformed')
  return { kind: 'code', state, code, iss, extra: extraParams(params) }
}

/**
 * Whether an answer comes from the issuer that was asked (RFC 9207 section 2.4: simple string comparison). Without an
 * expected issuer nothing is known; with one, an answer that names none is refused too.
 */
export function isExpectedIssuer(iss: string | undefined, expected: string | undefined): boolean {
  return expected === undefined || iss === expected
}

function parseErrorCode(text: string): string {
  const code = normalizeErrorCode(text) ?? 'unspecified'
  return DENIAL_CODES.has(code) ? 'access_denied' : code
}

/** What providers say instead of `access_denied` (RFC 6749 section 4.1.2.1) when a person said no. */
const DENIAL_CODES: ReadonlySet<string> = new Set([
  'authorization_denied',
  'canceled',
  'cancelled',
  'consent_denied',
  'denied',
  'user_canceled',
  'user_cancelled',
  'user_cancelled_authorize',
  'user_cancelled_login',
  'user_denied',
])

type InvalidReason = Extract<AuthorizationResponse, { kind: 'invalid' }>['reason']

const PROTOCOL_PARAMS = ['state', 'code', 'error', 'error_description', 'error_uri', 'iss'] as const
const MAX_LENGTHS = { state: 512, code: 4_096, iss: 1_024, extra: 256 } as const

/** Visible ASCII and blanks: what RFC 6749 appendix A allows, so no NUL and no line break. */
function isVisibleAscii(text: string | undefined, maxLength: number): text is string {
  return text !== undefined && text.length <= maxLength && /^[\x20-\x7e]+$/.test(text)
}

/** Names that the protocol uses are none of these; values have 1 to 256 characters without controls. */
function extraParams(params: URLSearchParams): Record<string, string> {
  const extraEntries = [...params].filter(
    ([name, value]) =>
      isCallbackParamName(name) && params.getAll(name).length === 1 && isPlainText(value),
  )
  return Object.fromEntries(extraEntries)
}

function isPlainText(value: string): boolean {
  return (
    value !== '' &&
    value.length <= MAX_LENGTHS.extra &&
    /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}\ufffd]*$/u.test(value)
  )
}
