import type { Code, JsonPath } from '../spec/check-rules.ts'
import type { Connected } from '../spec/facts.ts'
import type { Reply } from './reply.ts'

/** What the body of a request must contain, if it has one. Fields are replaced. */
export interface BodyFixture {
  /** JSON with these values: `{ 'user.name': '${username}' }`. */
  readonly json?: Readonly<Record<JsonPath, unknown>>
  /** A form with these values. */
  readonly form?: Readonly<Record<string, string>>
}

/** Responses of one endpoint. A value that is not a `reply(…)` is the JSON body of a 200. */
export interface EndpointFixture extends BodyFixture {
  /**
   * Method and absolute URL as documented by the provider: `GET https://api.example.com/v1/me`. Fields are replaced.
   */
  readonly endpoint: string
  /**
   * Where the provider expects the credentials: `Authorization: Bearer ${secret}`, `X-Key: ${api_key}`,
   * `?key=${secret}`, or several. `${secret}` is the access token, or the first secret field. `Basic ` is followed by
   * `name:password` in plain text.
   */
  readonly sends: string | readonly string[]
  /** For valid credentials. */
  readonly good: unknown
  /** For invalid ones. Default: 401. */
  readonly bad?: Reply
  /** For credentials without the required permissions. Default: 403. `notApplicable('why')` if that is impossible. */
  readonly insufficient?: Reply | NotApplicable
  /** For too many requests. Default: 429 with `Retry-After: 60`. */
  readonly limited?: Reply | NotApplicable
  /** A preceding request, for `twoStepLogin`, `clientCredentials` and `jwtBearer`. */
  readonly login?: LoginFixture
  /** Sign-in as documented by the provider, for `oauth2`. Without it only the spec itself can be tested. */
  readonly signIn?: SignInFixture
  /** The expected result of IDENTITY. Required if the integration has one. */
  readonly identity?: { readonly id: string; readonly label: string; readonly avatarUrl?: string }
  /** The expected result of CONNECTED. Required if the connection has facts. */
  readonly connected?: Connected
  /** Further endpoints, by `GET https://…`, and their responses to valid credentials. */
  readonly endpoints?: Readonly<Record<string, unknown>>
  /** Values of fields for which neither the placeholder nor a generated text is suitable. */
  readonly config?: Readonly<Record<string, unknown>>
  /**
   * Expected codes other than `invalid_credentials`, `insufficient_scope`, `rate_limited`. `none`: bundles of other
   * kits return no codes.
   */
  readonly codes?:
    | { readonly [Outcome in 'bad' | 'insufficient' | 'limited' | 'elsewhere']?: Code }
    | 'none'
}

/** The login before the requests. */
export interface LoginFixture extends BodyFixture {
  /** Method and absolute URL: `POST https://api.example.com/login`. */
  readonly endpoint: string
  /** Where the provider expects the credentials, if not in the body. */
  readonly sends?: string | readonly string[]
  /** The response with the token; `${token}` is replaced. Default: `{ access_token: '${token}' }`. */
  readonly good?: unknown
  /** Default: 401. */
  readonly bad?: Reply
}

/** The provider's sign-in. Missing properties are taken from the spec, and every variant of OAuth 2 is accepted. */
export interface SignInFixture {
  /** The authorization request, with its exact parameters: `https://acme.example/authorize?scope=read,write`. */
  readonly authorize?: string
  /** The token endpoint. */
  readonly token?: string
  /** Where tokens are refreshed. Default: `token`. */
  readonly refresh?: string
  /** The endpoint (RFC 7009); or the request of a provider that does not follow it, or several of which one is enough. */
  readonly revocation?: string | RevocationFixture | readonly RevocationFixture[]
  /** `required` or `refused`. */
  readonly pkce?: 'required' | 'refused'
  /** The required encoding of token requests. */
  readonly bodyFormat?: 'form' | 'json'
  /** Where client id and secret must be sent. */
  readonly clientAuthentication?: 'body' | 'header'
  /**
   * A refresh token is issued only if the authorization request contains these: `{ access_type: 'offline' }`, or a
   * scope among others: `{ scope: 'offline_access' }`.
   */
  readonly offline?: Readonly<Record<string, string>>
  /** Additional required parameters of token requests. */
  readonly tokenParams?: Readonly<Record<string, string>>
  readonly refreshParams?: Readonly<Record<string, string>>
  /** What the provider calls parameters of RFC 6749, by their names there. */
  readonly paramNames?: Readonly<Record<string, string>>
  /** It assigns names to redirect URIs and expects those. */
  readonly redirectName?: true
  /** The request that exchanges the first access token, with its exact parameters. Default: `exchange`. */
  readonly firstExchange?: string
  /** The request that exchanges an access token for a newer one, with its exact parameters: `https://acme.example/exchange?token=${access_token}`. */
  readonly exchange?: string
  /** Parameters of the redirect besides the code, such as `{ realmId: '7' }`. Default: from `config`. */
  readonly callback?: Readonly<Record<string, string>>
  /**
   * The token response, with `${access_token}`, `${refresh_token}` and `${scope}` in their places. Without
   * `${refresh_token}`, tokens are never refreshed.
   */
  readonly good?: unknown
  /** The response to a refresh. Default: `good`. Without `${refresh_token}` the old one remains valid. */
  readonly refreshed?: unknown
}

/** A revocation as documented: its headers and body contain `${token}`, `${client_id}` and `${client_secret}`. */
export interface RevocationFixture {
  /** Method and absolute URL: `DELETE https://api.example.com/grants`. */
  readonly endpoint: string
  /** What it sends: `Authorization: Basic ${client_id}:${client_secret}`, `?token=${token}`. */
  readonly sends?: string | readonly string[]
  /** The body, sent as JSON. */
  readonly json?: Readonly<Record<string, string>>
  /** The body, sent as a form. */
  readonly form?: Readonly<Record<string, string>>
  /** The status of the response. Default: 200. */
  readonly status?: number
  /** Its body. Default: an empty object. */
  readonly good?: unknown
}

/** Fixtures of the provider's documented endpoint for all auth types, with overrides for single ones. */
export interface Fixtures extends EndpointFixture {
  readonly types?: Readonly<Record<string, Partial<EndpointFixture>>>
}

/** An outcome that this provider does not have. */
export interface NotApplicable {
  readonly notApplicable: string
}

/** Declares why an outcome is impossible. */
export function notApplicable(reason: string): NotApplicable {
  return { notApplicable: reason }
}

/** Type-checked fixtures. Make them the default export of `<key>.fixtures.ts`. */
export function defineFixtures(fixtures: Fixtures): Fixtures {
  return fixtures
}
