import type { AuthErrorRule } from '@linchpin/runner/protocol'
import type { AuthKind } from './auth/auth-kind.ts'
import type { Category } from './category.ts'
import type { Context } from './context.ts'
import type { DeclaredCheck, DeclaredIdentity, Verdict } from './spec/check-rules.ts'
import type { Fields, Values } from './spec/field.ts'

/** Every auth type by its name, spelled as people will send it. */
export type AuthKinds = Readonly<Record<string, AuthKind>>

/** `config` of one auth type or another: `authType` tells which. */
export type ConfigOf<A extends AuthKinds, I extends Fields> = {
  [K in keyof A & string]: { readonly authType: K } & GivenBy<A[K]> & Values<I>
}[keyof A & string]

type GivenBy<K> =
  K extends AuthKind<infer F, infer Given>
    ? Values<F> & (unknown extends Given ? unknown : Given)
    : never

type NamesOf<A extends AuthKinds, I extends Fields> =
  | (keyof I & string)
  | { [K in keyof A]: keyof A[K]['fields'] & string }[keyof A]

/** Who connected. */
export interface Identity {
  /** Never changes and is never given to another. */
  readonly id: string
  readonly label: string
  readonly avatarUrl?: string
}

/** All that an integration is. */
export interface Definition<A extends AuthKinds = AuthKinds, I extends Fields = Fields> {
  /** Lower case, words joined by `_`. */
  readonly key: string
  /** What people call the provider. */
  readonly name: string
  /** A slug of simple-icons. Absent: a tile with the first letter. */
  readonly icon?: string
  /** What kind of tool it is. */
  readonly category: Category
  /** Semantic version of this integration. */
  readonly version: string
  /** Default: ALPHA, until somebody has connected for real. */
  readonly stage?: 'ALPHA' | 'BETA' | 'GENERALLY_AVAILABLE' | 'DEPRECATED'
  /**
   * Hosts that the bundle may reach; `*.example.com` covers subdomains. `any` where people run the
   * provider themselves.
   */
  readonly hosts: readonly string[] | 'any'
  /** The provider's page that this was written from. */
  readonly docs: string
  /** The ways to authenticate, by the names that people will send: `{ 'Api Key': apiKey({ … }) }`. */
  readonly auth: A
  /** Fields that every auth type needs. */
  readonly inputs?: I
  /** Default: `https://` and the first host. `${name}` is filled. */
  readonly apiBaseUrl?: string
  /** Sent with every request, besides the credentials. `${name}` is filled. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | ((config: NoInfer<ConfigOf<A, I>>) => Readonly<Record<string, string>>)
  /** Whether the provider takes the credentials: one request and what its answers mean, or code. */
  readonly check:
    | DeclaredCheck<NoInfer<NamesOf<A, I>>>
    | ((
        context: Context<NoInfer<ConfigOf<A, I>>, NoInfer<NamesOf<A, I>>>,
      ) => Promise<Verdict<NoInfer<NamesOf<A, I>>> | boolean>)
  /**
   * Answers of the API that mean what a 401 means: the credentials do not work any more. What a declared check calls
   * `invalid_credentials` by the body of an answer is among them already.
   */
  readonly authErrors?: readonly AuthErrorRule[]
  /** Who connected: a request and where its answer tells, or code. */
  readonly identity?:
    | DeclaredIdentity
    | ((context: Context<NoInfer<ConfigOf<A, I>>, NoInfer<NamesOf<A, I>>>) => Promise<Identity>)
}
