import type { AuthSpecification } from '@linchpin/runner/protocol'
import type { DeclaredCheck, DeclaredIdentity } from '../spec/check-rules.ts'
import type { DeclaredFact } from '../spec/facts.ts'
import type { Fields } from '../spec/field.ts'

/** The credentials of a request. `${name}` is replaced by the value from `config`. */
export interface Credentials {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
}

/** Options of every authentication method. They override those of the integration. */
export interface AuthOptions {
  /** The API's base URL for this method. */
  readonly apiBaseUrl?: string
  /** The request that checks whether the credentials work. */
  readonly check?: DeclaredCheck
  /** The request that identifies the connected user. */
  readonly identity?: DeclaredIdentity
  /** What a connection has to know after it has been made. */
  readonly after?: readonly DeclaredFact[]
}

/** Sends a request without credentials, from inside an authentication method. */
export type SendRequest = (request: {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string>>
}) => Promise<Response>

/** One authentication method. `Given` contains the values that sign-in at the provider adds to `config`. */
export interface AuthMethod<F extends Fields = Fields, SignInConfig = unknown> extends AuthOptions {
  readonly fields: F
  /** The parts of SPEC other than the fields. */
  readonly spec: AuthSpecification & Readonly<Record<string, unknown>>
  /** The field that a rejection points to. */
  readonly credentialField: string | undefined
  /** Sent with every request; `${name}` is replaced by the value from `config` or from the result of `logIn`. */
  readonly credentials: Credentials
  /** Computes values for `credentials`, such as a token. A response instead of values is a rejected login. */
  readonly logIn?: (
    config: Readonly<Record<string, unknown>>,
    send: SendRequest,
    /** A clock in milliseconds. */
    now: () => number,
  ) => Response | Values | Promise<Response | Values>
  /** Templates whose values `logIn` computes, for the lint. */
  readonly templates?: unknown
  /** The requested scopes, for the lint. */
  readonly scopes?: { readonly names: readonly string[]; readonly separator: string }
  /** URLs that it sends requests to, for the lint. */
  readonly urls: readonly string[]
  /** Names of values from sign-in, for templates and the lint. */
  readonly signInValues: readonly string[]
  /** Never set: it only carries a type. */
  readonly given?: SignInConfig
}

type Values = Readonly<Record<string, string>>
