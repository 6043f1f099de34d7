import type {
  GrantedScopes,
  ParamNames,
  RefreshErrorRule,
  ScopeErrorRule,
  TokenExchange,
} from '@linchpin/runner/protocol'
import type { Fields } from '../spec/field.ts'
import type { AuthMethod, AuthOptions, Credentials } from './auth-method.ts'
import { resolveCredentials } from './resolve-credentials.ts'
import { type RevocationTemplate, toRevocationSpecification } from './revocation.ts'

type Params = Readonly<Record<string, string | number | boolean>>

/** What scopes allow, in words, by scope. */
type ScopeLabels = Readonly<Record<string, string>>

/** The provider's OAuth 2 (RFC 6749, section 4.1), as documented. */
export interface OAuth2Options<F extends Fields, ResponseParam extends string>
  extends AuthOptions,
    Credentials {
  /** The authorization endpoint. May contain a field: `https://${shop}.example.com/authorize`. */
  readonly authorizationUrl: string
  /** The token endpoint. May start with one of `callbackParams`, which then leads only to `hosts`. */
  readonly tokenUrl: string
  /** The scopes that the check and the identity need. */
  readonly scopes?: readonly string[]
  /** What each scope allows, shown before sign-in: `{ 'repo': 'Read your repositories' }`. */
  readonly scopeLabels?: ScopeLabels
  /** The labels in other languages, by language: `{ de: { 'x-scope-labels': { … } } }`. */
  readonly i18n?: Readonly<Record<string, { readonly 'x-scope-labels': ScopeLabels }>>
  /** Default: a space. */
  readonly scopeSeparator?: string
  /** How the provider names what it has granted: `{ separator: ',', implied: { write_products: ['read_products'] } }`. */
  readonly grantedScopes?: GrantedScopes
  /** The scopes that the check and the identity need: an app that replaces the others does not replace these. */
  readonly requiredScopes?: readonly string[]
  /**
   * Responses of the API that mean that scopes are missing, and where they name them: `{ status: 200, match: { error:
   * 'missing_scope' }, scopes: 'needed' }`. RFC 6750 and GitHub's headers need no rule.
   */
  readonly scopeErrors?: readonly ScopeErrorRule[]
  /** The provider adds what is requested to what was granted before, if `include_granted_scopes=true` is sent. */
  readonly incremental?: true
  /** Default: true. False only where the provider refuses PKCE. */
  readonly pkce?: boolean
  /** Such as `{ access_type: 'offline', prompt: 'consent' }`. */
  readonly authorizationParams?: Params
  /** Additional parameters of the code exchange. */
  readonly tokenParams?: Params
  /** Additional parameters of a refresh. */
  readonly refreshParams?: Params
  /** Default: `tokenUrl`. */
  readonly refreshUrl?: string
  /**
   * How an access token is exchanged for one that lives longer, by GET, at providers without refresh tokens: before each expires, and
   * right after the sign-in (`first`, if that is another request). Parameters contain `${access_token}`, and `${client_id}` and
   * `${client_secret}` where the provider wants them.
   */
  readonly renew?: TokenExchange
  /** Revocation endpoint (RFC 7009), called when an account is deleted. */
  readonly revocationUrl?: string
  /**
   * For a provider that does not follow RFC 7009, instead of `revocationUrl`. Of several requests all are sent, and one that
   * succeeds is enough: for documents that contradict each other.
   */
  readonly revocation?: RevocationTemplate | readonly RevocationTemplate[]
  /**
   * What one revocation revokes: that token, or the user's whole grant to the client. Set it only if the provider
   * documents it. Otherwise Linchpin makes sure that deleting one account does not disconnect another.
   */
  readonly revokes?: 'token' | 'grant'
  /** Pushed authorization requests (RFC 9126). */
  readonly parUrl?: string
  /**
   * Query parameters of the redirect that are properties of the account, such as `realmId`; code and templates may use
   * them.
   */
  readonly callbackParams?: readonly ResponseParam[]
  /** What the provider calls parameters of RFC 6749, by their names there: `{ client_id: 'client_key' }`. */
  readonly paramNames?: ParamNames
  /**
   * What the provider calls the value that it assigns to a redirect URI and expects in its place, such as `RuName`. It is entered with
   * client id and secret.
   */
  readonly redirectName?: string
  /** Where client id and secret are sent in token requests. Default: body. */
  readonly clientAuthentication?: 'body' | 'header'
  /** The encoding of token requests. Default: form. */
  readonly bodyFormat?: 'form' | 'json'
  /**
   * How a customer's administrator creates an OAuth app of their own at the provider, in English: at most 10 steps of at most 300
   * characters. The page adds the redirect URI and the scopes.
   */
  readonly appSetup?: readonly string[]
  /** Only if the provider sends `iss` (RFC 9207). */
  readonly issuer?: string
  /** `always`: refresh tokens are issued without a scope that requests them. */
  readonly refresh?: 'always'
  /**
   * What responses to a refresh mean at this provider, in its own words: `{ match: { code: 105002 }, means: 'ended' }`. Codes of
   * RFC 6749 and what most providers send instead need no rule.
   */
  readonly refreshErrors?: readonly RefreshErrorRule[]
  /** Fields that are required before sign-in, such as a shop's domain. */
  readonly fields?: F
  /** Properties of the token response that code or templates use, such as `instance_url`. */
  readonly tokenResponseParams?: readonly ResponseParam[]
  /** Prefix of the token in `Authorization`. Default: `Bearer `. Alternatively, set `headers` or `query`. */
  readonly prefix?: string
}

/** The values that sign-in adds to `config`. */
export type Tokens<ResponseParam extends string> = {
  readonly access_token: string
  readonly refresh_token?: string
  readonly scope?: string
  readonly token_type?: string
  readonly client_id?: string
  readonly client_secret?: string
} & { readonly [Name in ResponseParam]: string }

/** Sign-in at the provider. Linchpin performs it and refreshes the tokens; requests carry the access token. */
export function oauth2<
  F extends Fields = Record<never, never>,
  const ResponseParam extends string = never,
>(
  options: OAuth2Options<F, ResponseParam>,
): AuthMethod<NoInfer<F>, Tokens<NoInfer<ResponseParam>>> {
  const {
    apiBaseUrl,
    check,
    identity,
    after,
    fields = {} as F,
    tokenResponseParams = [],
    callbackParams,
  } = options
  const credentials = resolveCredentials(options, `${options.prefix ?? 'Bearer '}\${access_token}`)
  return {
    ...(apiBaseUrl && { apiBaseUrl }),
    ...(check && { check }),
    ...(identity && { identity }),
    ...(after && { after }),
    fields,
    credentialField: undefined,
    spec: createOAuthSpec(options, credentials.headers),
    credentials,
    ...(options.scopes && {
      scopes: { names: options.scopes, separator: options.scopeSeparator ?? ' ' },
    }),
    urls: [
      options.tokenUrl,
      options.refreshUrl,
      options.revocationUrl,
      ...listRevocations(options).map(({ url }) => url),
      options.parUrl,
      options.renew?.url,
      options.renew?.first?.url,
    ].filter((url) => url !== undefined),
    signInValues: [...TOKENS, ...tokenResponseParams, ...(callbackParams ?? [])],
  }
}

function listRevocations({
  revocation = [],
}: OAuth2Options<Fields, string>): readonly RevocationTemplate[] {
  return [revocation].flat()
}

const TOKENS = ['access_token', 'refresh_token', 'scope', 'token_type', 'client_id']

// Undefined members cannot be serialized as JSON, so SPEC omits them.
function createOAuthSpec(options: OAuth2Options<Fields, string>, headers: Credentials['headers']) {
  const revocation = listRevocations(options).map(toRevocationSpecification)
  return {
    headers,
    authorization_url: options.authorizationUrl,
    token_url: options.tokenUrl,
    refresh_url: options.refreshUrl,
    revocation_url: options.revocationUrl,
    pushed_authorization_request_url: options.parUrl,
    default_scopes: options.scopes,
    scope_separator: options.scopeSeparator,
    disable_pkce: options.pkce === false || undefined,
    authorization_params: options.authorizationParams,
    token_params: options.tokenParams,
    refresh_params: options.refreshParams,
    'x-renew': options.renew,
    callback_params: options.callbackParams,
    token_request_auth_method: options.clientAuthentication,
    body_format: options.bodyFormat,
    'x-param-names': options.paramNames,
    'x-redirect-name': options.redirectName,
    'x-app-setup': options.appSetup,
    'x-issuer': options.issuer,
    'x-refresh': options.refresh,
    'x-refresh-errors': options.refreshErrors,
    'x-revokes': options.revokes,
    'x-revocation': revocation.length === 0 ? undefined : revocation,
    'x-granted-scopes': options.grantedScopes,
    'x-required-scopes': options.requiredScopes,
    'x-scope-errors': options.scopeErrors,
    'x-incremental': options.incremental,
    'x-scope-labels': options.scopeLabels,
    'x-i18n': options.i18n,
  } as AuthMethod['spec']
}
