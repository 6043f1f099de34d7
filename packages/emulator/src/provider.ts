import { readFile } from 'node:fs/promises'

/**
 * A provider as its documents describe it: built from the evidence and the fixtures of an integration, never from its entry. URLs and
 * texts may contain `${name}`.
 */
export interface Provider {
  readonly key: string
  readonly name: string
  /** An example of the base URL of the API: what `/{key}/…` of the emulator stands for. */
  readonly base: string
  /** The authentication methods, by their names in the integration. */
  readonly methods: Readonly<Record<string, ProviderMethod>>
}

/** How one authentication method works. */
export interface ProviderMethod {
  /** Where the credentials are: `Authorization: Bearer ${secret}`, `?key=${secret}`. */
  readonly sends: readonly string[]
  /** Headers without credentials that every request has. */
  readonly headers: readonly string[]
  readonly endpoints: readonly ProviderEndpoint[]
  /** For wrong, expired and revoked credentials. */
  readonly bad: Reply
  /** For credentials without the required permissions. */
  readonly insufficient: Reply
  /** For too many requests. */
  readonly limited: Reply
  readonly retry?: RetryHeaders
  readonly signIn?: ProviderSignIn
  readonly login?: ProviderLogin
}

/** A documented request of the API and its response. */
export interface ProviderEndpoint {
  readonly method: string
  readonly url: string
  /** A URL that it has in an example. */
  readonly example: string
  /** Query parameters that the integration must send. */
  readonly query: Readonly<Record<string, string>>
  readonly good: Reply
}

/** A response. A string is sent unchanged, everything else as JSON. */
export interface Reply {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Headers that say how many requests are left. */
export interface RetryHeaders {
  readonly remaining: string
  readonly reset?: string
  readonly unit?: string
}

/** Where client id and secret are. */
export type ClientPlace = 'body' | 'header'

export type BodyFormat = 'form' | 'json'

/** A revocation: that of RFC 7009, or what a provider has instead. */
export interface Revocation {
  readonly method: string
  readonly url: string
  readonly good: Reply
}

/** The exchange of an access token for one that lives longer: a GET request. Values are fixed, or `${name}`. */
export interface TokenExchange {
  readonly url: string
  readonly params: Readonly<Record<string, string>>
}

/** The authorization server (RFC 6749). */
export interface ProviderSignIn {
  readonly authorize: string
  readonly token: string
  readonly refresh: string
  /** Any of these ends what the token in it stands for. */
  readonly revocations: readonly Revocation[]
  /** Whether one revocation ends the grant. */
  readonly revokesGrant: boolean
  /** Pushed authorization requests (RFC 9126). */
  readonly par?: string
  readonly issuer?: string
  /** Of the first access token of a grant, and of those after it. */
  readonly exchanges?: { readonly first: TokenExchange; readonly next: TokenExchange }
  /** What the provider calls parameters, by their names in RFC 6749. */
  readonly paramNames: Readonly<Record<string, string>>
  /** Whether it assigns names to redirect URIs, and expects those. */
  readonly namesRedirects: boolean
  readonly scopes: readonly string[]
  readonly separator: string
  readonly pkce: 'required' | 'optional' | 'refused'
  /** Undefined: the documents do not say; both are accepted. */
  readonly client?: ClientPlace
  readonly body?: BodyFormat
  /** Parameters that the authorization request must have. */
  readonly authorizeParams: Readonly<Record<string, string>>
  readonly tokenParams: Readonly<Record<string, string>>
  readonly refreshParams: Readonly<Record<string, string>>
  /** Without these in the authorization request there is no refresh token. */
  readonly offline: Readonly<Record<string, string>>
  /** Parameters of the redirect besides code and state. */
  readonly callback: Readonly<Record<string, string>>
  /** The token response, with `${access_token}`, `${refresh_token}` and `${scope}`. */
  readonly good: unknown
  readonly refreshed: unknown
}

/** A request whose response has the token: client credentials, or a login. */
export interface ProviderLogin {
  readonly method: string
  readonly url: string
  readonly sends: readonly string[]
  readonly json?: Readonly<Record<string, unknown>>
  readonly form?: Readonly<Record<string, string>>
  readonly client?: ClientPlace
  readonly body?: BodyFormat
  /** The token, as `${token}`. */
  readonly good: Reply
  readonly bad: Reply
}

/** All providers that can be emulated, as `build-providers.mjs` has written them. */
export async function loadProviders(): Promise<readonly Provider[]> {
  return JSON.parse(await readFile(new URL('../generated/providers.json', import.meta.url), 'utf8'))
}
