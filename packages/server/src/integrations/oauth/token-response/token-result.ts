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
