import type { Code, JsonPath } from '../spec/check-rules.ts'
import type { Reply } from './reply.ts'

/** What the body of a request must hold, where it has one. Fields are filled in. */
export interface BodyFixture {
  /** JSON with these values: `{ 'user.name': '${username}' }`. */
  readonly json?: Readonly<Record<JsonPath, unknown>>
  /** A form with these values. */
  readonly form?: Readonly<Record<string, string>>
}

/** Replies of one endpoint. A value that is no `reply(…)` is the JSON body of a 200. */
export interface EndpointFixture extends BodyFixture {
  /** Method and whole URL as the provider documents them: `GET https://api.example.com/v1/me`. Fields are filled in. */
  readonly endpoint: string
  /**
   * How the provider wants the credentials: `Authorization: Bearer ${secret}`, `X-Key: ${api_key}`,
   * `?key=${secret}`, or several. `${secret}` is the access token, or the first secret field. After
   * `Basic ` stands `name:password`, plain.
   */
  readonly sends: string | readonly string[]
  /** For the right credentials. */
  readonly good: unknown
  /** For wrong ones. Default: 401. */
  readonly bad?: Reply
  /** For credentials that may not do what is needed. Default: 403. `never('why')` where that cannot be. */
  readonly insufficient?: Reply | Never
  /** For too many requests. Default: 429 with `Retry-After: 60`. */
  readonly limited?: Reply | Never
  /** A request that comes before, of `twoStepLogin` and `clientCredentials`. */
  readonly login?: LoginFixture
  /** Sign-in as the provider documents it, of `oauth2`. Without it only what the spec says can be walked. */
  readonly signIn?: SignInFixture
  /** What IDENTITY must answer. Needed when the integration has one. */
  readonly identity?: { readonly id: string; readonly label: string; readonly avatarUrl?: string }
  /** Further endpoints, by `GET https://…`, and their answers to the right credentials. */
  readonly more?: Readonly<Record<string, unknown>>
  /** Values of fields for which the placeholder, or a made-up text, will not do. */
  readonly config?: Readonly<Record<string, unknown>>
  /**
   * Where the codes are others than `invalid_credentials`, `insufficient_scope`, `rate_limited`.
   * `none`: bundles of other kits tell none.
   */
  readonly codes?:
    | { readonly [Outcome in 'bad' | 'insufficient' | 'limited' | 'elsewhere']?: Code }
    | 'none'
}

/** The login before the requests. */
export interface LoginFixture extends BodyFixture {
  /** Method and whole URL: `POST https://api.example.com/login`. */
  readonly endpoint: string
  /** How the provider wants the credentials, where not in the body. */
  readonly sends?: string | readonly string[]
  /** With the token where the provider has it; say `${token}` for it. Default: `{ access_token: '${token}' }`. */
  readonly good?: unknown
  /** Default: 401. */
  readonly bad?: Reply
}

/** The provider's sign-in. What is not said is taken from the spec, and any way that OAuth 2 knows is fine. */
export interface SignInFixture {
  /** The page for consent, and what it wants to be asked, exactly: `https://acme.example/authorize?scope=read,write`. */
  readonly authorize?: string
  /** Where codes are exchanged. */
  readonly token?: string
  /** Where tokens are renewed. Default: `token`. */
  readonly refresh?: string
  readonly revocation?: string
  /** `required` or `refused`. */
  readonly pkce?: 'required' | 'refused'
  /** How token requests must be written. */
  readonly bodyFormat?: 'form' | 'json'
  /** Where client id and secret must stand. */
  readonly clientAuthentication?: 'body' | 'header'
  /**
   * A refresh token comes only when the request for consent holds these: `{ access_type: 'offline' }`,
   * or a scope among others: `{ scope: 'offline_access' }`.
   */
  readonly offline?: Readonly<Record<string, string>>
  /** What a request for tokens must hold besides. */
  readonly tokenParams?: Readonly<Record<string, string>>
  readonly refreshParams?: Readonly<Record<string, string>>
  /** What comes back beside the code, such as `{ realmId: '7' }`. Default: of `config`. */
  readonly callback?: Readonly<Record<string, string>>
  /**
   * The token answer, with `${access_token}`, `${refresh_token}` and `${scope}` where they stand.
   * Without `${refresh_token}`, tokens are never renewed.
   */
  readonly good?: unknown
  /** The answer to a renewal. Default: `good`. Without `${refresh_token}` the old one stays. */
  readonly renewed?: unknown
}

/** A fake of the provider's documented endpoint, for every auth type, and what differs for one. */
export interface Fixtures extends EndpointFixture {
  readonly types?: Readonly<Record<string, Partial<EndpointFixture>>>
}

/** An outcome that this provider does not have. */
export interface Never {
  readonly never: string
}

/** Says why an outcome cannot be. */
export function never(reason: string): Never {
  return { never: reason }
}

/** Fixtures, checked by their type. Write them as the default export of `<key>.fixtures.ts`. */
export function defineFixtures(fixtures: Fixtures): Fixtures {
  return fixtures
}
