/** Why credentials were not accepted, in words that the connect page knows. */
export type Code =
  | 'invalid_credentials'
  | 'insufficient_scope'
  | 'wrong_host'
  | 'account_inactive'
  | 'rate_limited'
  | 'provider_unreachable'
  | 'unexpected_answer'

/** The answer to CHECK. */
export interface Verdict<FieldName extends string = string> {
  /** Whether the provider takes the credentials. */
  readonly status: boolean
  /** What is wrong, for people; empty when nothing is. Never with the credential in it. */
  readonly error: string
  readonly code?: Code
  /** The field that has to be changed. */
  readonly field?: FieldName
  /** Whose move it is, and which, in one sentence. */
  readonly hint?: string
  /** The same credentials may be right a moment later. */
  readonly retryable?: boolean
}

/** A value at a place of a JSON body, such as `data.viewer.id` or `errors.0.code`. `\\.` is a dot inside a name. */
export type JsonPath = string

/** One value, one of several, or how a text begins. */
export type Wanted = Plain | readonly Plain[] | { readonly startsWith: string }
type Plain = string | number | boolean | null

/** What a kind of answer means. Every condition that is given must hold. */
export interface ErrorRule<FieldName extends string = string> {
  readonly status?: number | readonly number[]
  /** What the body has at each of these paths. */
  readonly match?: Readonly<Record<JsonPath, Wanted>>
  /** What each of these headers says: `{ 'X-RateLimit-Remaining': '0' }`. */
  readonly headers?: Readonly<Record<string, Wanted>>
  readonly code?: Code
  /** The field that has to be changed. */
  readonly field?: FieldName
  /** Whose move it is, and which, in one sentence. */
  readonly hint?: string
}

/** How an answer is read. */
export interface Expectation<FieldName extends string = string> {
  /** Statuses of success. Default: 200 to 299. */
  readonly expect?: number | readonly number[]
  /** For APIs that answer 200 to everything: where the body tells success. A path alone: something is there. */
  readonly ok?: JsonPath | { readonly path: JsonPath; readonly equals: unknown }
  /** Looked through in order before anything else. Without a match, the status decides. */
  readonly errors?: readonly ErrorRule<FieldName>[]
}

/** One request. `${name}` is filled from `config` everywhere. */
export interface RequestTemplate {
  /** Default: GET, or POST when there is a body. */
  readonly method?: string
  /** Below the base URL, or a whole URL. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>
}

/** A check that needs no code: one request, and what its answers mean. */
export interface DeclaredCheck<FieldName extends string = string>
  extends RequestTemplate,
    Expectation<FieldName> {}

/**
 * Who connected. Without a `path` the request of the check is sent. The first path that leads to something counts.
 * Several values go into one text: `'${team.id}/${user.id}'`, each a path of the answer, else a name of `config`.
 */
export interface DeclaredIdentity extends Partial<RequestTemplate> {
  readonly id: JsonPath | readonly JsonPath[]
  readonly label: JsonPath | readonly JsonPath[]
  readonly avatarUrl?: JsonPath | readonly JsonPath[]
}
