/** A further token of a response: Slack sends that of the person in `authed_user`, beside that of the app. */
export interface NestedTokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Milliseconds since 1970. Undefined if unknown. */
  readonly expiresAt: number | undefined
}

/** The tokens that a provider issued. */
export interface Tokens {
  readonly accessToken: string
  /** As the provider spells it. Defaults to `bearer`. */
  readonly tokenType: string
  /** Expiry of the access token, in milliseconds since 1970. Undefined if unknown. */
  readonly expiresAt: number | undefined
  /** Undefined if none was issued. After a refresh the old one then stays valid (RFC 6749 section 6). */
  readonly refreshToken: string | undefined
  /** The ID token (OpenID Connect Core, section 3.1.3.3) of a sign-in; undefined without one. */
  readonly idToken?: string | undefined
  /** Granted scopes as the provider spells them; a list is joined with spaces. Undefined: as requested. */
  readonly scope: string | undefined
  /** Further tokens, by the field of the response that contains them. At most 4. */
  readonly nested?: Readonly<Record<string, NestedTokens>>
  /**
   * Other fields of the response, such as `instance_url` or `team.id`: at most 20 short plain values. Values from user
   * input take precedence.
   */
  readonly extra: Readonly<Record<string, string | number | boolean>>
}

/** The provider refused the request. A retry would fail too. `invalid_grant`: the grant has ended. */
export interface TokenErrorResult {
  readonly kind: 'refused'
  /** A code of RFC 6749 section 5.2 if one applies, otherwise the provider's code, otherwise `unspecified`. */
  readonly error: string
  /** The provider's description without secrets, at most 200 characters. For logs and developers, not for pages. */
  readonly description: string
}

/** There are no usable tokens now. The state of the grant is unknown, or the provider says that the refusal is temporary. */
export interface TokenUnavailableResult {
  readonly kind: 'unavailable'
  readonly reason:
    | 'timeout'
    | 'unreachable'
    | 'egress_unavailable'
    | 'rate_limited'
    | 'server_error'
    | 'invalid_response'
    // Another request of this grant is being processed.
    | 'conflict'
    // `invalid_grant`, but what the provider says does not fit the request.
    | 'ambiguous_refusal'
  /** The delay that the provider requested. */
  readonly retryAfterMs?: number
  /** Whether the provider may have processed the request: a code may be used up, a refresh token replaced. */
  readonly replyMayBeLost: boolean
  /** The refresh token of a response whose access token is unusable. It replaces the old one. */
  readonly rotatedToken?: string
}

/** The outcome of a token request. */
export type TokenResult =
  | { readonly kind: 'tokens'; readonly tokens: Tokens }
  | TokenErrorResult
  | TokenUnavailableResult

/**
 * Further tokens as fields of a configuration: `authed_user.access_token`, `authed_user.refresh_token` and
 * `authed_user.expires_at` (ISO 8601). A field is undefined if the response does not have it.
 */
export function toNestedFields(nested: Tokens['nested'] = {}): Record<string, string | undefined> {
  return Object.assign(
    {},
    ...Object.entries(nested).map(([name, tokens]) => toFields(name, tokens)),
  )
}

function toFields(
  name: string,
  { accessToken, refreshToken, expiresAt }: NestedTokens,
): Record<string, string | undefined> {
  return {
    [`${name}.access_token`]: accessToken,
    // After a refresh without one, the old one stays valid (RFC 6749 section 6).
    ...(refreshToken === undefined ? {} : { [`${name}.refresh_token`]: refreshToken }),
    [`${name}.expires_at`]: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
  }
}

/** The further tokens of a configuration, by name, whether they can be refreshed or not. */
export function readNestedTokens(
  config: Readonly<Record<string, unknown>>,
): Record<string, { accessToken: string | undefined; refreshToken: string | undefined }> {
  const names = Object.keys(config).flatMap((field) => {
    const [, name] = /^([A-Za-z][\w-]{0,39})\.(?:access|refresh)_token$/.exec(field) ?? []
    return name === undefined ? [] : [name]
  })
  const read = (field: string) => {
    const value = config[field]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  return Object.fromEntries(
    [...new Set(names)].map((name) => [
      name,
      { accessToken: read(`${name}.access_token`), refreshToken: read(`${name}.refresh_token`) },
    ]),
  )
}

/** The further tokens of a configuration that are refreshed together with its main token, by name. */
export function listRefreshableNested(
  config: Readonly<Record<string, unknown>>,
): [name: string, refreshToken: string][] {
  if (typeof config.refresh_token !== 'string') return []
  return Object.entries(config)
    .flatMap(([field, refreshToken]): [string, string][] => {
      const [, name] = /^([A-Za-z][\w-]{0,39})\.refresh_token$/.exec(field) ?? []
      const isUsable = typeof refreshToken === 'string' && refreshToken !== ''
      return name !== undefined && isUsable ? [[name, refreshToken]] : []
    })
    .slice(0, MAX_REFRESHED)
}

const MAX_REFRESHED = 4

/**
 * When the first of the tokens of a configuration expires, in milliseconds since 1970: all are refreshed together. Only further
 * tokens that can be refreshed count.
 *
 * @param mainExpiry the expiry of the main token
 */
export function getEarliestExpiry<T extends null | undefined>(
  config: Readonly<Record<string, unknown>>,
  mainExpiry: number | T,
): number | T {
  const expiries = listRefreshableNested(config).flatMap(([name]) => {
    const instant = Date.parse(String(config[`${name}.expires_at`]))
    return Number.isNaN(instant) ? [] : [instant]
  })
  if (expiries.length === 0) return mainExpiry
  return Math.min(...expiries, ...(typeof mainExpiry === 'number' ? [mainExpiry] : []))
}
