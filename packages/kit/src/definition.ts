import type { AuthErrorRule, RateLimitHeaders } from '@linchpin/runner/protocol'
import type { AuthMethod } from './auth/auth-method.ts'
import type { Category } from './category.ts'
import type { Context } from './context.ts'
import type { CheckResult, DeclaredCheck, DeclaredIdentity } from './spec/check-rules.ts'
import type { Connected, DeclaredFact } from './spec/facts.ts'
import type { Fields, Values } from './spec/field.ts'

/** Every auth type by name, as used in the API. */
export type AuthMethods = Readonly<Record<string, AuthMethod>>

/** `config` of one of the auth types: `authType` determines which. */
export type ConfigOf<A extends AuthMethods, I extends Fields> = {
  [K in keyof A & string]: { readonly authType: K } & ConfigOfMethod<A[K]> & Values<I>
}[keyof A & string]

type ConfigOfMethod<K> =
  K extends AuthMethod<infer F, infer Given>
    ? Values<F> & (unknown extends Given ? unknown : Given)
    : never

type FieldNames<A extends AuthMethods, I extends Fields> =
  | (keyof I & string)
  | { [K in keyof A]: keyof A[K]['fields'] & string }[keyof A]

/** The connected user. */
export interface Identity {
  /** Never changes and is never reassigned. */
  readonly id: string
  readonly label: string
  readonly avatarUrl?: string
  /** The granted scopes, if the provider says them here and not in its token response. */
  readonly scopes?: readonly string[]
}

/** The definition of an integration. */
export interface Definition<A extends AuthMethods = AuthMethods, I extends Fields = Fields> {
  /** Lower case, words joined by `_`. */
  readonly key: string
  /** Display name of the provider. */
  readonly name: string
  /** A slug of simple-icons. Absent: a tile with the first letter. */
  readonly icon?: string
  /** What kind of tool it is. */
  readonly category: Category
  /** Semantic version of this integration. */
  readonly version: string
  /** Default: ALPHA, until a real account has been connected. */
  readonly stage?: 'ALPHA' | 'BETA' | 'GENERALLY_AVAILABLE' | 'DEPRECATED'
  /** Hosts that the bundle may send requests to; `*.example.com` covers subdomains. `any` for self-hosted providers. */
  readonly hosts: readonly string[] | 'any'
  /** The provider's documentation that this integration is based on. */
  readonly docs?: string
  /** The authentication methods, by the names used in the API: `{ 'Api Key': apiKey({ … }) }`. */
  readonly auth: A
  /** Fields that all auth types need. */
  readonly inputs?: I
  /** Default: `https://` and the first host. `${name}` is replaced. */
  readonly apiBaseUrl?: string
  /** Sent with every request, in addition to the credentials. `${name}` is replaced. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | ((config: NoInfer<ConfigOf<A, I>>) => Readonly<Record<string, string>>)
  /** Checks whether the provider accepts the credentials: one request with rules for its responses, or code. */
  readonly check:
    | DeclaredCheck<NoInfer<FieldNames<A, I>>>
    | ((
        context: Context<NoInfer<ConfigOf<A, I>>, NoInfer<FieldNames<A, I>>>,
      ) => Promise<CheckResult<NoInfer<FieldNames<A, I>>> | boolean>)
  /**
   * Responses of the API that are treated as a 401: the credentials are no longer valid. Rules of a declared check for
   * `invalid_credentials` by the body of a response are included automatically.
   */
  readonly authErrors?: readonly AuthErrorRule[]
  /** Headers of responses that say how many requests are left. `Retry-After` (RFC 9110) needs no mention. */
  readonly retry?: RateLimitHeaders
  /** Seconds without a use after which Linchpin checks the credentials: 900 to 604,800; 0: never. Default: as the operator has set it. */
  readonly checkInterval?: number
  /** Whether a GET of this API may change something, as in APIs in the style of RPC: agents need a rule for each request then. */
  readonly getMayWrite?: true
  /** Identifies the connected user: a request and the path of the id in its response, or code. */
  readonly identity?:
    | DeclaredIdentity
    | ((context: Context<NoInfer<ConfigOf<A, I>>, NoInfer<FieldNames<A, I>>>) => Promise<Identity>)
  /** What a connection has to know after it has been made, such as the site at which the API is called. */
  readonly after?: readonly DeclaredFact[]
  /** Finds the facts of `after` that no request and no claim gives. */
  readonly connected?: (
    context: Context<NoInfer<ConfigOf<A, I>>, NoInfer<FieldNames<A, I>>>,
  ) => Promise<Connected>
}
