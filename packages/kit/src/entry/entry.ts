import type {
  AuthErrorRule,
  GrantedScopes,
  ParamNames,
  RateLimitHeaders,
  RefreshErrorRule,
  ScopeErrorRule,
  TokenExchange,
} from '@linchpin/runner/protocol'
import type { Category } from '../category.ts'
import type { ErrorRule, Expectation, JsonPath, RequestTemplate } from '../spec/check-rules.ts'
import type { DeclaredFact } from '../spec/facts.ts'
import type { Translation } from '../spec/field.ts'

/** Texts by name, in which `${name}` is replaced by the value of a field or of the sign-in. */
export type Templates = Readonly<Record<string, string>>

/** An integration as data. It becomes an integration with `toDefinition`; `entry.schema.json` is the same as a JSON Schema. */
export interface Entry {
  /** For editors. */
  readonly $schema?: string
  /** Which release of the code that runs entries it was tested with: a catalogue keeps all of them. */
  readonly runtime: number
  /** Lower case, words joined by `_`. */
  readonly key: string
  /** Display name of the provider. */
  readonly name: string
  /** Other names that people search for, such as a former one. */
  readonly aliases?: readonly string[]
  /** A slug of simple-icons. Absent: a tile with the first letter. */
  readonly icon?: string
  readonly category: Category
  /** Semantic version of this entry. */
  readonly version: string
  /** The provider's documentation that it is based on. A catalogue requires it. */
  readonly docs?: string
  /** The provider's page where an OAuth app is registered. */
  readonly register?: string
  /** Hosts that may receive requests; `*.example.com` covers subdomains. `any` for self-hosted providers. */
  readonly hosts: readonly string[] | 'any'
  /** The base URL of the API. Default: `https://` and the first host. */
  readonly base?: string
  /** Sent with every request, in addition to the credentials. */
  readonly headers?: Templates
  /** Fields that all auth types need. */
  readonly fields?: EntryFields
  /** The authentication methods, by the names used in the API. */
  readonly auth: Readonly<Record<string, EntryAuth>>
  /** The request that checks whether the credentials work. */
  readonly check: EntryCheck
  /** The connected user. */
  readonly identity?: EntryIdentity
  /** What a connection has to know after it has been made. */
  readonly after?: readonly EntryFact[]
  /** Responses of the API that are treated as a 401. */
  readonly authErrors?: readonly AuthErrorRule[]
  /** Headers of responses that say how many requests are left. `Retry-After` (RFC 9110) needs no mention. */
  readonly retry?: RateLimitHeaders
  /** Seconds without a use after which Linchpin checks the credentials: 900 to 604,800; 0: never. Default: as the operator has set it. */
  readonly checkInterval?: number
  /** Whether a GET of this API may change something, as in APIs in the style of RPC: agents need a rule for each request then. */
  readonly getMayWrite?: true
}

export type EntryFields = Readonly<Record<string, EntryField>>

/** A form field: a text, unless it says otherwise. */
export interface EntryField {
  readonly title: string
  /** `text`: a short text that may be shown again. */
  readonly type?: 'text' | 'url' | 'email' | 'number'
  /** Masked, encrypted, and never returned. */
  readonly secret?: true
  /** The only values that it may have, or their display names. */
  readonly values?: readonly string[] | Templates
  /** One or two sentences below the field: where to find the value. */
  readonly help?: string
  /** The provider's page where the value is created or shown. */
  readonly helpUrl?: string
  readonly placeholder?: string
  /** A regular expression for the whole value. */
  readonly pattern?: string
  readonly optional?: true
  readonly default?: string | number
  readonly order?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly i18n?: Readonly<Record<string, Translation>>
}

/** A request. The method is the name of the property that has the path, or an absolute URL. */
export interface EntryRequest {
  readonly get?: string
  readonly post?: string
  readonly query?: Templates
  readonly headers?: Templates
  /** A body, sent as JSON. */
  readonly json?: unknown
  /** A body, sent as a form. */
  readonly form?: Templates
}

export interface EntryCheck extends EntryRequest, Expectation {
  readonly errors?: readonly ErrorRule[]
}

/** Without `get` and `post`, the request of the check is sent. */
export interface EntryIdentity extends EntryRequest {
  readonly id: JsonPath | readonly JsonPath[]
  readonly label: JsonPath | readonly JsonPath[]
  readonly avatarUrl?: JsonPath | readonly JsonPath[]
  /** Where the response lists the granted scopes, if the token response does not have them. */
  readonly scopes?: JsonPath
}

/** A fact after connecting: from a request, or from a claim of the ID or access token. */
export interface EntryFact extends EntryRequest, Omit<DeclaredFact, keyof RequestTemplate> {}

/** What every authentication method may have. It overrides what the entry has. */
export interface EntryAuthOptions {
  readonly base?: string
  readonly fields?: EntryFields
  readonly check?: EntryCheck
  readonly identity?: EntryIdentity
  /** Its own facts; an empty list for none. */
  readonly after?: readonly EntryFact[]
  /** The headers with the credentials. */
  readonly headers?: Templates
  /** The query parameters with the credentials. */
  readonly query?: Templates
}

/** Which method it is follows from the property that only that method has; a key or nothing without any. */
export type EntryAuth =
  | EntryOAuth2
  | EntryMcp
  | EntryBasic
  | EntryClientCredentials
  | EntryLogin
  | EntryAuthOptions

/**
 * A request that revokes tokens. `${token}` and `${token_type_hint}` in its templates make it one request per token, the refresh
 * token first; `${access_token}` and `${refresh_token}` one in total. Of several, all are sent, and one that succeeds is enough.
 */
export interface EntryRevocation {
  readonly get?: string
  readonly post?: string
  readonly delete?: string
  readonly query?: Templates
  readonly headers?: Templates
  /** A body, sent as JSON. */
  readonly json?: Templates
  /** A body, sent as a form. */
  readonly form?: Templates
  /** Where client id and secret are sent: `header` for Basic, or `body`. Default: only where templates name them. */
  readonly client?: 'body' | 'header'
  /** Status codes of success. Default: 200 to 299. */
  readonly expect?: number | readonly number[]
  /** What the body of a success contains, for APIs that return 200 for everything. */
  readonly ok?: { readonly path: JsonPath; readonly equals: string | number | boolean }
}

/** Sign-in at the provider (RFC 6749, section 4.1). */
export interface EntryOAuth2 extends EntryAuthOptions {
  /** The authorization endpoint. */
  readonly authorize: string
  /** The token endpoint. May start with one of `callbackParams`, which then leads only to `hosts`. */
  readonly token: string
  readonly scopes?: EntryScopes
  /** How the provider names what it has granted. */
  readonly grantedScopes?: GrantedScopes
  /** The scopes that the check and the identity need: an app that replaces the default ones does not replace these. */
  readonly requiredScopes?: readonly string[]
  /** Responses that mean that scopes are missing. RFC 6750 and GitHub's headers need no rule. */
  readonly scopeErrors?: readonly ScopeErrorRule[]
  /** The provider adds what is requested to what was granted before (`include_granted_scopes`). */
  readonly incremental?: true
  /** Default: true. False only where the provider refuses PKCE. */
  readonly pkce?: false
  readonly authorizeParams?: EntryParams
  readonly tokenParams?: EntryParams
  readonly refreshParams?: EntryParams
  /** Default: `token`. */
  readonly refreshUrl?: string
  /** Where an access token is exchanged for one that lives longer, by GET, without a refresh token. */
  readonly renew?: TokenExchange
  /** The revocation endpoint (RFC 7009), or the requests of a provider that does not follow it. */
  readonly revoke?: string | EntryRevocation | readonly EntryRevocation[]
  /** What one revocation revokes. */
  readonly revokes?: 'token' | 'grant'
  /** Pushed authorization requests (RFC 9126). */
  readonly par?: string
  /** Query parameters of the redirect that are properties of the account. */
  readonly callbackParams?: readonly string[]
  /** Properties of the token response that are properties of the account. */
  readonly tokenResponse?: readonly string[]
  /** What the provider calls parameters of RFC 6749, by their names there. */
  readonly paramNames?: ParamNames
  /** What the provider calls the value that it assigns to a redirect URI and expects in its place. */
  readonly redirectName?: string
  /** How a customer's administrator creates an OAuth app of their own at the provider, in English: at most 10 steps. */
  readonly appSetup?: readonly string[]
  /** Where client id and secret are sent in token requests. Default: body. */
  readonly client?: 'body' | 'header'
  /** The encoding of token requests. Default: form. */
  readonly body?: 'form' | 'json'
  /** Only if the provider sends `iss` (RFC 9207). */
  readonly issuer?: string
  /** `always`: refresh tokens are issued without a scope that requests them. */
  readonly refresh?: 'always'
  readonly refreshErrors?: readonly RefreshErrorRule[]
}

/** Sign-in at an MCP server, which says itself where and how. Its tokens are sent to its origin only. */
export interface EntryMcp extends EntryAuthOptions {
  /** The URL of the server, without a query: `https://mcp.example.com/mcp`, or a field with it. */
  readonly mcp: string
  /** Default: the scopes that the server names. */
  readonly scopes?: EntryScopes
}

export interface EntryScopes {
  /** The scopes that the check and the identity need. */
  readonly default: readonly string[]
  /** Default: a space. */
  readonly separator?: string
}

type EntryParams = Readonly<Record<string, string | number | boolean>>

/** `Authorization: Basic` (RFC 7617). */
export interface EntryBasic extends Omit<EntryAuthOptions, 'headers' | 'query'> {
  /** User name and password, joined by a colon. */
  readonly basic: string
}

/** OAuth 2 without a user (RFC 6749, section 4.4). Without `headers` and `query`, the token is sent as a Bearer token. */
export interface EntryClientCredentials extends EntryAuthOptions {
  readonly clientCredentials: {
    /** The token endpoint. */
    readonly token: string
    readonly scopes?: EntryScopes
    readonly params?: Templates
    /** Default: header. */
    readonly client?: 'body' | 'header'
    /** Default: form. */
    readonly body?: 'form' | 'json'
  }
}

/** A login request whose response has the token. Without `headers` and `query`, it is sent as a Bearer token. */
export interface EntryLogin extends EntryAuthOptions {
  readonly login: EntryRequest & {
    /** User name and password, joined by a colon, sent as `Authorization: Basic`. */
    readonly basic?: string
    /** The path of the token in the response. Default: `access_token`. */
    readonly token?: JsonPath
  }
}
