/** Why credentials were rejected, as codes that the connect page knows. */
export type Code =
  | 'invalid_credentials'
  | 'insufficient_scope'
  | 'wrong_host'
  | 'account_inactive'
  | 'rate_limited'
  | 'provider_unreachable'
  | 'unexpected_answer'

/** The result of CHECK. */
export interface CheckResult<FieldName extends string = string> {
  /** Whether the provider accepts the credentials. */
  readonly status: boolean
  /** A message for the user; empty on success. Must not contain the credential. */
  readonly error: string
  readonly code?: Code
  /** The field that has to be changed. */
  readonly field?: FieldName
  /** Who has to do what, in one sentence. */
  readonly hint?: string
  /** The same credentials may be accepted a moment later. */
  readonly retryable?: boolean
}

/** The path of a value in a JSON body, such as `data.viewer.id` or `errors.0.code`. `\\.` is a dot inside a name. */
export type JsonPath = string

/** One value, a list of values, or a prefix. */
export type ExpectedValue = Plain | readonly Plain[] | { readonly startsWith: string }
type Plain = string | number | boolean | null

/** Maps a kind of response to a code. All conditions must match. */
export interface ErrorRule<FieldName extends string = string> {
  readonly status?: number | readonly number[]
  /** Values of the body by path. */
  readonly match?: Readonly<Record<JsonPath, ExpectedValue>>
  /** Values of headers: `{ 'X-RateLimit-Remaining': '0' }`. */
  readonly headers?: Readonly<Record<string, ExpectedValue>>
  readonly code?: Code
  /** The field that has to be changed. */
  readonly field?: FieldName
  /** Who has to do what, in one sentence. */
  readonly hint?: string
}

/** How a response is interpreted. */
export interface Expectation<FieldName extends string = string> {
  /** Status codes of success. Default: 200 to 299. */
  readonly expect?: number | readonly number[]
  /** For APIs that return 200 for everything: the body indicates success. A path alone: any value. */
  readonly ok?: JsonPath | { readonly path: JsonPath; readonly equals: unknown }
  /** Evaluated in order before anything else. Without a match, the status decides. */
  readonly errors?: readonly ErrorRule<FieldName>[]
}

/** One request. `${name}` is replaced by the value from `config` everywhere. */
export interface RequestTemplate {
  /** Default: GET, or POST when there is a body. */
  readonly method?: string
  /** A path below the base URL, or an absolute URL. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>
}

/** A check without code: one request, and rules for its responses. */
export interface DeclaredCheck<FieldName extends string = string>
  extends RequestTemplate,
    Expectation<FieldName> {}

/**
 * The connected user. Without a `path` the request of the check is sent. The first path with a value is used. Several
 * values are combined into one text: `'${team.id}/${user.id}'`, each a path of the response, otherwise a name in
 * `config`.
 */
export interface DeclaredIdentity extends Partial<RequestTemplate> {
  readonly id: JsonPath | readonly JsonPath[]
  readonly label: JsonPath | readonly JsonPath[]
  readonly avatarUrl?: JsonPath | readonly JsonPath[]
  /** Where the response lists the granted scopes, if the token response does not have them. */
  readonly scopes?: JsonPath
}
