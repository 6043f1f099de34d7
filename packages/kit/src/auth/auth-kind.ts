import type { AuthSpecification } from '@linchpin/runner/protocol'
import type { DeclaredCheck, DeclaredIdentity } from '../spec/check-rules.ts'
import type { Fields } from '../spec/field.ts'

/** What a request carries to prove who sends it. `${name}` is filled from `config`. */
export interface Credentials {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
}

/** What every kind of authentication may say besides. It counts instead of what the integration says. */
export interface AuthOptions {
  /** Where the API is for this way. */
  readonly apiBaseUrl?: string
  /** The request that tells whether these credentials work. */
  readonly check?: DeclaredCheck
  /** Where it is told who connected. */
  readonly identity?: DeclaredIdentity
}

/** Sends a request without credentials, from inside a kind of authentication. */
export type SendPlain = (request: {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string>>
}) => Promise<Response>

/** One way to authenticate. `Given` is what sign-in at the provider adds to `config`. */
export interface AuthKind<F extends Fields = Fields, Given = unknown> extends AuthOptions {
  readonly fields: F
  /** What SPEC says besides the fields. */
  readonly spec: AuthSpecification & Readonly<Record<string, unknown>>
  /** The field that a refusal points to. */
  readonly blames: string | undefined
  /** What goes with every request, with `${name}` filled from `config` and from what `logIn` answers. */
  readonly credentials: Credentials
  /** Computes values for `credentials`, such as a token. A response instead of values is a refused login. */
  readonly logIn?: (
    config: Readonly<Record<string, unknown>>,
    send: SendPlain,
  ) => Response | Values | Promise<Response | Values>
  /** Templates that `logIn` fills, for the lint. */
  readonly templates?: unknown
  /** What a token is asked for, for the lint. */
  readonly scopes?: { readonly names: readonly string[]; readonly separator: string }
  /** URLs that it asks, for the lint. */
  readonly urls: readonly string[]
  /** Names that sign-in fills, for templates and the lint. */
  readonly facts: readonly string[]
  /** Never there: it carries a type. */
  readonly given?: Given
}

type Values = Readonly<Record<string, string>>
