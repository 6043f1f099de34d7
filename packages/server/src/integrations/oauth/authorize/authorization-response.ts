import type { OAuthType } from '../spec/parse-oauth-type.ts'
import { TemplateError } from '../template.ts'
import { normalizeErrorCode, sanitizeMessage } from '../token-response/response-error.ts'

/** The parsed query of the redirect back from the provider (RFC 6749 sections 4.1.2 and 4.1.2.1). */
export type AuthorizationResponse =
  | {
      readonly kind: 'code'
      readonly state: string
      readonly code: string
      readonly iss: string | undefined
      /** Other plain parameters that a spec may declare, such as `realmId`. Untrusted: the browser may have changed them. */
      readonly extra: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'error'
      readonly state: string
      /** `access_denied` for every provider-specific denial code; `unspecified` if the value is not a valid code. */
      readonly error: string
      /** The provider's description: one line, at most 200 characters. For logs, not for pages. */
      readonly description: string
      readonly iss: string | undefined
    }
  | {
      /** Microsoft's response to the consent of an administrator: no one has signed in. */
      readonly kind: 'admin_consent'
      /** Set if it could be parsed: the administrator may have started at the provider. */
      readonly state: string | undefined
    }
  | {
      readonly kind: 'invalid'
      readonly reason: 'state_missing' | 'code_missing' | 'repeated' | 'malformed'
      /** Set if it could be parsed, so that the caller can end the session. */
      readonly state: string | undefined
    }

/** The redirect URI of this service, which receives the responses. Every OAuth app registers it at its provider. */
export function getCallbackUrl(baseUrl: string): string {
  return `${baseUrl}/api/v1/oauth/callback`
}

/**
 * The `redirect_uri` of requests for an OAuth app: the redirect URI of this service, or what the provider has assigned to it.
 *
 * @throws TemplateError if the provider assigns a name, and the app has none
 */
export function getRedirectUri(
  baseUrl: string,
  {
    type,
    app,
  }: {
    readonly type: Pick<OAuthType, 'redirectName'>
    readonly app: { readonly redirectName: string | null }
  },
): string {
  if (type.redirectName === undefined) return getCallbackUrl(baseUrl)
  if (app.redirectName !== null) return app.redirectName
  throw new TemplateError(
    'redirectName',
    `of the OAuth app is missing: enter its ${type.redirectName}`,
  )
}

/**
 * Parses the query of the callback. Never throws. Rejects repeated parameters (RFC 6749 section 3.1).
 *
 * @param codeName what the provider calls `code`
 */
export function parseAuthorizationResponse(
  query: string | URLSearchParams,
  codeName = 'code',
): AuthorizationResponse {
  const params = new URLSearchParams(query)
  const states = params.getAll('state')
  const state =
    states.length === 1 && isVisibleAscii(states[0], MAX_LENGTHS.state) ? states[0] : undefined
  const invalid = (reason: InvalidReason): AuthorizationResponse => ({
    kind: 'invalid',
    reason,
    state,
  })
  if (isAdminConsent(params)) return { kind: 'admin_consent', state }
  if (states.length === 0 || states[0] === '') return invalid('state_missing')
  if ([codeName, ...PROTOCOL_PARAMS].some((name) => params.getAll(name).length > 1))
    return invalid('repeated')
  // RFC 6749 section 3.1: a parameter without a value is treated as omitted.
  const code = params.get(codeName) || undefined
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
  const { [codeName]: _code, ...extra } = getExtraParams(params)
  return { kind: 'code', state, code, iss, extra }
}

/** What is known about the authorization server of a session. */
export interface ExpectedIssuer {
  /** Its issuer identifier; undefined if the spec has none, so that there is nothing to compare with. */
  readonly issuer: string | undefined
  /** Whether every response of the server has `iss`. A spec with `x-issuer` says so. */
  readonly isAdvertised: boolean
}

/**
 * Whether a response comes from the issuer of its session (RFC 9207 section 2.4). A present `iss` is compared byte for byte,
 * advertised or not. An absent one is an attack if the server always sends it, and otherwise proves nothing.
 */
export function isValidIssuer(
  iss: string | undefined,
  { issuer, isAdvertised }: ExpectedIssuer,
): boolean {
  if (iss === undefined) return !isAdvertised
  return issuer === undefined || iss === issuer
}

function isAdminConsent(params: URLSearchParams): boolean {
  const isGranted = params.get('admin_consent')?.toLowerCase() === 'true'
  return isGranted && !params.get('code') && !params.get('error')
}

function parseErrorCode(text: string): string {
  const code = normalizeErrorCode(text) ?? 'unspecified'
  return DENIAL_CODES.has(code) ? 'access_denied' : code
}

/** Codes that providers send instead of `access_denied` (RFC 6749 section 4.1.2.1) when the user declines. */
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
const MAX_LENGTHS = { state: 512, code: 8_192, iss: 1_024, extra: 256 } as const

/** Visible ASCII and spaces, the characters that RFC 6749 appendix A allows. */
function isVisibleAscii(text: string | undefined, maxLength: number): text is string {
  return text !== undefined && text.length <= maxLength && /^[\x20-\x7e]+$/.test(text)
}

/** Parameters that are not part of the protocol, with values of 1 to 256 characters and no control characters. */
function getExtraParams(params: URLSearchParams): Record<string, string> {
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

/**
 * Whether a spec may list this parameter in `callback_params`: a plain name of at most 64 characters that is neither a
 * protocol parameter nor a possible name of a credential, which a browser could inject.
 */
export function isCallbackParamName(name: string): boolean {
  return (
    /^[A-Za-z0-9_.-]{1,64}$/.test(name) &&
    !RESERVED_NAMES.has(name.toLowerCase()) &&
    !/token|secret|password|assertion|jwt|api_?key/i.test(name) &&
    !(name in Object.prototype)
  )
}

/** Maximum number of callback parameters of an auth type. */
export const MAX_CALLBACK_PARAMS = 8

/** Parameters of RFC 6749, RFC 9207, RFC 9101 and OpenID Connect, and field names that Linchpin sets itself. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'authtype',
  'client_id',
  'code',
  'error',
  'error_description',
  'error_uri',
  'iss',
  'redirect_uri',
  'request',
  'request_uri',
  'response',
  'scope',
  'scopes',
  'state',
])
