import type { Fields } from '../spec/field.ts'
import type { AuthKind, AuthOptions, Credentials } from './auth-kind.ts'
import { ownCredentials } from './own-credentials.ts'

type Params = Readonly<Record<string, string | number | boolean>>

/** The provider's OAuth 2 (RFC 6749, section 4.1), as its documentation says. */
export interface OAuth2Options<F extends Fields, Fact extends string>
  extends AuthOptions,
    Credentials {
  /** The page for consent. A field may stand in it: `https://${shop}.example.com/authorize`. */
  readonly authorizationUrl: string
  /** Where codes are exchanged for tokens. */
  readonly tokenUrl: string
  /** What the check and the identity need. */
  readonly scopes?: readonly string[]
  /** Default: a space. */
  readonly scopeSeparator?: string
  /** Default: true. False only where the provider refuses PKCE. */
  readonly pkce?: boolean
  /** Such as `{ access_type: 'offline', prompt: 'consent' }`. */
  readonly authorizationParams?: Params
  /** What the exchange of a code must say besides. */
  readonly tokenParams?: Params
  /** What a renewal must say besides. */
  readonly refreshParams?: Params
  /** Default: `tokenUrl`. */
  readonly refreshUrl?: string
  /** Where tokens end when an account is deleted (RFC 7009). */
  readonly revocationUrl?: string
  /**
   * What one revocation ends: that token, or everything that the person granted to the client. Say it only as the
   * provider documents it. Without it Linchpin takes care that deleting one account does not end another.
   */
  readonly revokes?: 'token' | 'grant'
  /** Pushed authorization requests (RFC 9126). */
  readonly parUrl?: string
  /** Names of the answer's query that are facts of the account, such as `realmId`; code and templates use them. */
  readonly callbackParams?: readonly Fact[]
  /** Where client id and secret stand in token requests. Default: body. */
  readonly clientAuthentication?: 'body' | 'header'
  /** How token requests are written. Default: form. */
  readonly bodyFormat?: 'form' | 'json'
  /** Only where the provider sends `iss` (RFC 9207). */
  readonly issuer?: string
  /** `always`: refresh tokens come unasked. */
  readonly refresh?: 'always'
  /** Asked before sign-in, such as a shop's domain. */
  readonly fields?: F
  /** Names of the token answer that code or templates use, such as `instance_url`. */
  readonly facts?: readonly Fact[]
  /** What goes before the token in `Authorization`. Default: `Bearer `. Or say `headers` or `query`. */
  readonly prefix?: string
}

/** What sign-in adds to `config`. */
export type Tokens<Fact extends string> = {
  readonly access_token: string
  readonly refresh_token?: string
  readonly scope?: string
  readonly token_type?: string
  readonly client_id?: string
  readonly client_secret?: string
} & { readonly [Name in Fact]: string }

/** Sign-in at the provider. Linchpin does it and keeps the tokens fresh; requests carry the access token. */
export function oauth2<F extends Fields = Record<never, never>, const Fact extends string = never>(
  options: OAuth2Options<F, Fact>,
): AuthKind<NoInfer<F>, Tokens<NoInfer<Fact>>> {
  const { apiBaseUrl, check, identity, fields = {} as F, facts = [], callbackParams } = options
  const credentials = ownCredentials(options, `${options.prefix ?? 'Bearer '}\${access_token}`)
  return {
    ...(apiBaseUrl === undefined ? {} : { apiBaseUrl }),
    ...(check === undefined ? {} : { check }),
    ...(identity === undefined ? {} : { identity }),
    fields,
    blames: undefined,
    spec: oauthSpec(options, credentials.headers),
    credentials,
    ...(options.scopes && {
      scopes: { names: options.scopes, separator: options.scopeSeparator ?? ' ' },
    }),
    urls: [options.tokenUrl, options.refreshUrl, options.revocationUrl, options.parUrl].filter(
      (url) => url !== undefined,
    ),
    facts: [...TOKENS, ...facts, ...(callbackParams ?? [])],
  }
}

const TOKENS = ['access_token', 'refresh_token', 'scope', 'token_type', 'client_id']

// Members that are undefined are no JSON: SPEC does not have them.
function oauthSpec(options: OAuth2Options<Fields, string>, headers: Credentials['headers']) {
  return {
    headers,
    authorization_url: options.authorizationUrl,
    token_url: options.tokenUrl,
    refresh_url: options.refreshUrl,
    revocation_url: options.revocationUrl,
    pushed_authorization_request_url: options.parUrl,
    default_scopes: options.scopes,
    scope_separator: options.scopeSeparator,
    disable_pkce: options.pkce === false ? true : undefined,
    authorization_params: options.authorizationParams,
    token_params: options.tokenParams,
    refresh_params: options.refreshParams,
    callback_params: options.callbackParams,
    token_request_auth_method: options.clientAuthentication,
    body_format: options.bodyFormat,
    'x-issuer': options.issuer,
    'x-refresh': options.refresh,
    'x-revokes': options.revokes,
  } as AuthKind['spec']
}
