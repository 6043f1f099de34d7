/**
 * The bundle protocol: what a compiled integration is asked and what it answers.
 *
 * A bundle is a CommonJS module whose default export (or `main`) is `async (command, params) => result`.
 * Everything a bundle answers is untrusted: these types say what is hoped for, never what has been checked.
 */

/** The commands a bundle may be asked to carry out. An unknown one answers an error. */
export type Command = 'SPEC' | 'CHECK' | 'HEADERS' | 'RUN' | 'IDENTITY'

/** One field that a person fills in: JSON Schema and a few hints for the form. */
export interface InputProperty {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  /** Constants with a title each: another way to write `enum`. Anything else in it is not read. */
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
  /** What people call the values of `enum`, by value. */
  readonly 'x-labels'?: Readonly<Record<string, string>>
}

/** The fields of one auth type, or the inputs that every auth type shares. */
export interface InputSpecification {
  readonly type?: 'object'
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, InputProperty>>
}

/** One value, one of several, or how a text begins. */
export type AuthErrorValue =
  | string
  | number
  | boolean
  | null
  | readonly (string | number | boolean | null)[]
  | { readonly startsWith: string }

/** An answer of the provider's API that says that the credentials do not work any more. Every condition must hold. */
export interface AuthErrorRule {
  /** Absent: any status. */
  readonly status?: number | readonly number[]
  /** What the JSON body has at each of these paths, such as `errors.*.extensions.code`. `*` is any element of an array. */
  readonly match: Readonly<Record<string, AuthErrorValue>>
}

/** One way to authenticate. `${name}` in headers and URLs is filled from the config. */
export interface AuthSpecification {
  readonly input_specification?: InputSpecification
  readonly headers?: Readonly<Record<string, string>>
  /** Where the proxy goes with this auth type. */
  readonly api_base_url?: string
  /** Both this and `token_url` make the auth type one for OAuth 2. */
  readonly authorization_url?: string
  readonly token_url?: string
  /** Where tokens are renewed; absent: `token_url`. */
  readonly refresh_url?: string
  /** RFC 7009. */
  readonly revocation_url?: string
  /** RFC 9126: authorization requests are pushed there, and never sent without. */
  readonly pushed_authorization_request_url?: string
  readonly authorization_params?: Readonly<Record<string, unknown>>
  readonly token_params?: Readonly<Record<string, unknown>>
  readonly refresh_params?: Readonly<Record<string, unknown>>
  /** Parameters of the way back that are kept in the config, such as `realmId`. At most 8. */
  readonly callback_params?: readonly string[]
  readonly default_scopes?: readonly string[]
  readonly scope_separator?: string
  /** The spelling of older bundles. */
  readonly scope_seperator?: string
  readonly token_request_auth_method?: string
  readonly authorization_method?: string
  readonly body_format?: string
  readonly disable_pkce?: boolean | 'true' | 'false'
  /** The issuer whose answers count (RFC 9207). */
  readonly 'x-issuer'?: string
  /** Refresh tokens come unasked. */
  readonly 'x-refresh'?: 'always'
  /** Answers that mean what a 401 means, for this auth type; absent: those of the spec. */
  readonly 'x-auth-errors'?: readonly AuthErrorRule[]
  /** `headers` is all that HEADERS would answer: it need not be called. */
  readonly 'x-headers'?: 'complete'
  /** What one revocation ends at the provider; absent: it may be the whole grant. */
  readonly 'x-revokes'?: 'token' | 'grant'
}

/** The answer to SPEC. `auth_specification` is keyed by auth type, spelled as accounts name it. */
export interface Spec {
  readonly auth_specification: Readonly<Record<string, AuthSpecification>>
  readonly other_inputs?: { readonly input_specification?: InputSpecification }
  readonly version?: string
  /** Where the provider's API is, for the proxy. `${name}` is filled from the config. */
  readonly api_base_url?: string
  /** Answers that mean what a 401 means. */
  readonly 'x-auth-errors'?: readonly AuthErrorRule[]
  /** Hosts the bundle may reach; absent: any host the gate allows. `*.example.com` covers subdomains. */
  readonly 'x-hosts'?: readonly string[]
}

/** The answer to CHECK. */
export interface CheckResult {
  readonly status: boolean
  readonly error?: string
  readonly code?: string
  readonly field?: string
  readonly hint?: string
  readonly retryable?: boolean
}

/** The answer to IDENTITY. */
export interface Identity {
  readonly id: string
  readonly label: string
  readonly avatarUrl?: string
}
