import type {
  AuthSpecification,
  RevocationSpecification,
  Spec,
  TokenExchange,
} from '@linchpin/runner/protocol'
import { createStandardRevocation } from '../../spec/revocation-rules.ts'

/** The sign-in of one auth type, as declared in SPEC (docs/bundles.md). URLs and parameters still contain `${name}`. */
export interface SignIn {
  readonly authorizationUrl: string
  readonly tokenUrl: string
  readonly refreshUrl: string
  /** Empty if it has no revocation. */
  readonly revocation: readonly RevocationSpecification[]
  readonly pushUrl: string | undefined
  readonly scopes: readonly string[]
  readonly separator: string
  readonly authorizationParams: Params
  readonly tokenParams: Params
  readonly refreshParams: Params
  readonly usesPkce: boolean
  /** Client id and secret are sent in the header, not in the body. */
  readonly inHeader: boolean
  readonly isJson: boolean
  readonly callbackParams: readonly string[]
  readonly paramNames: Params
  /** The provider expects an assigned name in place of the redirect URI. */
  readonly hasRedirectName: boolean
  readonly exchange: TokenExchange | undefined
}

export type Params = Readonly<Record<string, string>>

/** Accepts both spellings; undefined for an auth type without sign-in. */
export function readSignIn(spec: Spec, authType: string): SignIn | undefined {
  const auth = spec.auth_specification[authType]
  if (!auth?.authorization_url || !auth.token_url) return undefined
  return {
    authorizationUrl: auth.authorization_url,
    tokenUrl: auth.token_url,
    refreshUrl: auth.refresh_url ?? auth.token_url,
    revocation: auth['x-revocation'] ?? readStandardRevocation(auth),
    pushUrl: auth.pushed_authorization_request_url,
    scopes: [auth.default_scopes ?? []].flat(),
    separator: auth.scope_separator || auth.scope_seperator || ' ',
    authorizationParams: stringParams(auth.authorization_params),
    tokenParams: stringParams(auth.token_params),
    refreshParams: stringParams(auth.refresh_params),
    usesPkce: String(auth.disable_pkce) !== 'true',
    inHeader: isInHeader(auth),
    isJson: auth.body_format?.toLowerCase() === 'json',
    callbackParams: auth.callback_params ?? [],
    paramNames: { ...auth['x-param-names'] },
    hasRedirectName: auth['x-redirect-name'] !== undefined,
    exchange: auth['x-renew'],
  }
}

function isInHeader(auth: AuthSpecification): boolean {
  return IN_HEADER.test(auth.token_request_auth_method ?? auth.authorization_method ?? '')
}

function readStandardRevocation(auth: AuthSpecification): readonly RevocationSpecification[] {
  if (!auth.revocation_url) return []
  return [createStandardRevocation(auth.revocation_url, isInHeader(auth) ? 'header' : 'body')]
}

const IN_HEADER = /^(?:header|basic|client_secret_basic)$/i

function stringParams(params: Readonly<Record<string, unknown>> = {}): Params {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  )
}
