/**
 * The bundle protocol: the commands of a compiled integration and their results.
 *
 * A bundle is a CommonJS module whose default export (or `main`) is `async (command, params) => result`. Every result
 * is untrusted: these types describe what is expected, not what has been validated.
 */

/** The commands of a bundle. A bundle returns an error for an unknown one. */
export type Command = 'SPEC' | 'CHECK' | 'HEADERS' | 'RUN' | 'IDENTITY' | 'CONNECTED'

/** One field that a person fills in: JSON Schema with a few hints for the form. */
export interface InputProperty {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  /** Constants with a title each: an alternative to `enum`. Other keywords in it are ignored. */
  readonly oneOf?: unknown
  readonly anyOf?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly default?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly writeOnly?: boolean
  readonly 'x-placeholder'?: string
  readonly 'x-help-url'?: string
  readonly 'x-order'?: number
  readonly 'x-secret'?: boolean
  /** Display names of the values of `enum`, by value. */
  readonly 'x-labels'?: Readonly<Record<string, string>>
  /** The texts in other languages, by language. */
  readonly 'x-i18n'?: Readonly<Record<string, FieldTexts>>
}

/** The texts of a field in one language. Absent texts are those of the field. */
export interface FieldTexts {
  readonly title?: string
  readonly description?: string
  readonly 'x-placeholder'?: string
  readonly 'x-labels'?: Readonly<Record<string, string>>
}

/** The fields of one auth type, or the inputs that all auth types share. */
export interface InputSpecification {
  readonly type?: 'object'
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, InputProperty>>
}

/** One value, a list of values, or a prefix. */
export type AuthErrorValue =
  | string
  | number
  | boolean
  | null
  | readonly (string | number | boolean | null)[]
  | { readonly startsWith: string }

/** How a provider names the scopes that it reports as granted. */
export interface GrantedScopes {
  /** Absent: `scope_separator`. */
  readonly separator?: string
  /** What the names have in one of the request and the report, such as `https://graph.microsoft.com/`. */
  readonly prefix?: string
  /** The scopes that a granted one includes, by its name: `{ write_products: ['read_products'] }`. */
  readonly implied?: Readonly<Record<string, readonly string[]>>
  /** Scopes that it grants without reporting them. */
  readonly unreported?: readonly string[]
}

/** A response of the provider's API that means that scopes are missing. */
export type ScopeErrorRule = AuthErrorRule & {
  /** Where the body names them, as in `match`: a list, or a text in which spaces or commas separate them. */
  readonly scopes: string
}

/** A response of the provider's API that means that the credentials are no longer valid. All conditions must match. */
export interface AuthErrorRule {
  /** Absent: any status. */
  readonly status?: number | readonly number[]
  /**
   * Values in the JSON body by path, such as `errors.*.extensions.code`. `*` matches any element of an array. Absent: any
   * body, if `status` has only statuses from 400 to 499.
   */
  readonly match?: Readonly<Record<string, AuthErrorValue>>
}

/**
 * What a response to a refresh means, in the words of the provider. A rule without `match` applies to the status alone.
 * `temporary`: try again later. `ended`: the user has to sign in again. `client`: the OAuth app is wrong.
 */
export type RefreshErrorRule = Partial<AuthErrorRule> & {
  readonly means: 'temporary' | 'ended' | 'client'
}

/**
 * A request that revokes tokens at a provider that does not follow RFC 7009. `${name}` is replaced by a value of the config, in
 * headers and the body also by `${client_id}`, `${client_secret}`, and the tokens: `${token}` and `${token_type_hint}` for one
 * request per token, the refresh token first; `${access_token}` and `${refresh_token}` for one request for both.
 */
export interface RevocationSpecification {
  /** Absent: POST. */
  readonly method?: 'DELETE' | 'GET' | 'POST'
  readonly url: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** A body, sent as a form. */
  readonly form?: Readonly<Record<string, string>>
  /** A body, sent as JSON. */
  readonly json?: Readonly<Record<string, string>>
  /** Where client id and secret are sent (RFC 6749 section 2.3.1). Absent: only where templates name them. */
  readonly auth_method?: 'body' | 'header'
  /** Statuses that mean success; absent: 200 to 299. */
  readonly status?: number | readonly number[]
  /** What the body of a success contains, as in `AuthErrorRule`. */
  readonly match?: AuthErrorRule['match']
}

/** One authentication method. `${name}` in headers and URLs is replaced by the value from the config. */
export interface AuthSpecification {
  readonly input_specification?: InputSpecification
  readonly headers?: Readonly<Record<string, string>>
  /** Query parameters with credentials, which the proxy adds to each request. */
  readonly query?: Readonly<Record<string, string>>
  /** The base URL of the proxy for this auth type. */
  readonly api_base_url?: string
  /** An auth type with both this and `token_url` uses OAuth 2. */
  readonly authorization_url?: string
  readonly token_url?: string
  /**
   * Instead of both: the server at `server_url` says where people sign in (RFC 9728, RFC 8414), as MCP servers do. Its tokens are
   * sent to the origin of that server only.
   */
  readonly discovery?: 'mcp'
  readonly server_url?: string
  /** Where tokens are refreshed; absent: `token_url`. */
  readonly refresh_url?: string
  /** RFC 7009. */
  readonly revocation_url?: string
  /** RFC 9126: if present, authorization requests are always pushed to this endpoint. */
  readonly pushed_authorization_request_url?: string
  readonly authorization_params?: Readonly<Record<string, unknown>>
  readonly token_params?: Readonly<Record<string, unknown>>
  readonly refresh_params?: Readonly<Record<string, unknown>>
  /** Parameters of the redirect that are stored in the config, such as `realmId`. At most 8. */
  readonly callback_params?: readonly string[]
  readonly default_scopes?: readonly string[]
  readonly scope_separator?: string
  /** The spelling of older bundles. */
  readonly scope_seperator?: string
  readonly token_request_auth_method?: string
  readonly authorization_method?: string
  readonly body_format?: string
  readonly disable_pkce?: boolean | 'true' | 'false'
  /** What the provider calls parameters of RFC 6749, by their names there: `{ client_id: 'client_key' }`. */
  readonly 'x-param-names'?: ParamNames
  /**
   * What the provider calls the value that it assigns to a redirect URI, such as `RuName`. OAuth apps then have that value, and
   * it is sent as `redirect_uri`.
   */
  readonly 'x-redirect-name'?: string
  /** The steps with which a customer's administrator creates an OAuth app at the provider, in English. At most 10. */
  readonly 'x-app-setup'?: readonly string[]
  /** The expected issuer of authorization responses (RFC 9207). */
  readonly 'x-issuer'?: string
  /** The provider issues refresh tokens without a scope that requests them. */
  readonly 'x-refresh'?: 'always'
  /**
   * How an access token is exchanged for one that lives longer, at providers without refresh tokens: right after the sign-in, and before
   * each expires.
   */
  readonly 'x-renew'?: TokenExchange
  /** Responses that are treated as a 401 for this auth type; absent: those of the spec. */
  readonly 'x-auth-errors'?: readonly AuthErrorRule[]
  /** What responses to a refresh mean at this provider, unless it uses the codes of RFC 6749. The first match counts. */
  readonly 'x-refresh-errors'?: readonly RefreshErrorRule[]
  /** `headers` contains everything that HEADERS would return, so it need not be called. */
  readonly 'x-headers'?: 'complete'
  readonly 'x-granted-scopes'?: GrantedScopes
  /** Responses that mean that scopes are missing; RFC 6750 and GitHub's headers need no rule. */
  readonly 'x-scope-errors'?: readonly ScopeErrorRule[]
  /** The scopes that CHECK and IDENTITY need, which are always requested. */
  readonly 'x-required-scopes'?: readonly string[]
  /** The provider adds what is requested to what was granted before, if the request has `include_granted_scopes=true`. */
  readonly 'x-incremental'?: boolean
  /** What a scope allows, in words, by scope. Scopes without a label are shown by their name. */
  readonly 'x-scope-labels'?: Readonly<Record<string, string>>
  /** The labels in other languages, by language. */
  readonly 'x-i18n'?: Readonly<Record<string, AuthTexts>>
  /** What one revocation ends at the provider; absent: it may be the whole grant. */
  readonly 'x-revokes'?: 'token' | 'grant'
  /** Instead of `revocation_url`: up to 3 requests. All are sent; one that succeeds is enough. */
  readonly 'x-revocation'?: readonly RevocationSpecification[]
  /** What a connection has to know after it has been made. CONNECTED finds it, once after CHECK. */
  readonly 'x-facts'?: readonly FactSpecification[]
}

/** Other names of parameters, in requests to the authorization server and in its authorization responses. */
export interface ParamNames {
  readonly client_id?: string
  readonly client_secret?: string
  readonly code?: string
  readonly redirect_uri?: string
  readonly refresh_token?: string
}

/** A GET request whose response is a token response. Its parameters may contain `${access_token}`, `${client_id}` and `${client_secret}`. */
export interface TokenExchangeRequest {
  readonly url: string
  readonly params: Readonly<Record<string, string>>
}

/** The request that exchanges a token, and that after the sign-in, if it is another one. */
export interface TokenExchange extends TokenExchangeRequest {
  readonly first?: TokenExchangeRequest
}

/** A fact of a connection. CONNECTED returns its value, or the list of which one is picked. */
export interface FactSpecification {
  /** Its name in `${name}`. */
  readonly name: string
  readonly title: string
  /** Which of several items is stored; absent: that which the customer chooses. */
  readonly pick?: 'ask' | 'all' | 'first'
  /** What to do if there is none. */
  readonly hint?: string
  readonly 'x-i18n'?: Readonly<Record<string, { readonly title?: string; readonly hint?: string }>>
}

/** The texts of an auth type in one language. Absent texts are those of the auth type. */
export interface AuthTexts {
  readonly 'x-scope-labels'?: Readonly<Record<string, string>>
}

/** The result of SPEC. `auth_specification` is keyed by auth type, spelled as in accounts. */
export interface Spec {
  readonly auth_specification: Readonly<Record<string, AuthSpecification>>
  readonly other_inputs?: { readonly input_specification?: InputSpecification }
  readonly version?: string
  /** Base URL of the provider's API, for the proxy. `${name}` is replaced by the value from the config. */
  readonly api_base_url?: string
  /** Responses that are treated as a 401. */
  readonly 'x-auth-errors'?: readonly AuthErrorRule[]
  /** Headers of responses that say how many requests are left. `Retry-After` (RFC 9110) needs no mention. */
  readonly 'x-rate-limit'?: RateLimitHeaders
  /** Seconds without a use after which Linchpin checks the credentials: 900 to 604,800; 0: never. Absent: as the operator set it. */
  readonly 'x-check-interval'?: number
  /** Whether a GET of this API may change something, as in APIs in the style of RPC: agents need a rule for each request then. */
  readonly 'x-get-may-write'?: boolean
  /**
   * Hosts the bundle may send requests to; absent: any host that the egress gateway allows. `*.example.com` covers
   * subdomains.
   */
  readonly 'x-hosts'?: readonly string[]
}

/** The names of headers that say how many requests an API still allows, and when there are more. */
export interface RateLimitHeaders {
  /** The header with the number of requests that are left. */
  readonly remaining: string
  /** The header that says when there are more, and what it counts: seconds since 1970, or from now. */
  readonly reset?: string
  readonly unit?: 'epoch' | 'seconds'
}

/** The result of CHECK. */
export interface CheckResult {
  readonly status: boolean
  readonly error?: string
  readonly code?: string
  readonly field?: string
  readonly hint?: string
  readonly retryable?: boolean
}

/** The result of CONNECTED, unless it is a check result that failed. */
export interface ConnectedResult {
  readonly facts?: Readonly<Record<string, Fact>>
  readonly choices?: Readonly<Record<string, readonly Fact[]>>
}

/** A value and its display name. */
export interface Fact {
  readonly value: string
  readonly label?: string
}

/** The result of IDENTITY. */
export interface Identity {
  readonly id: string
  readonly label: string
  readonly avatarUrl?: string
  /** The granted scopes, if the provider says them here and not in its token response. */
  readonly scopes?: readonly string[]
}
