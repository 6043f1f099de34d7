/** What a provider issued. */
export interface Tokens {
  readonly accessToken: string
  /** As the provider spells it; `bearer` when it says nothing. */
  readonly tokenType: string
  /** When the access token ends, in milliseconds since 1970; undefined when unknown. */
  readonly expiresAt: number | undefined
  /** Undefined: none was sent. On renewal the old one then stays valid (RFC 6749 section 6). */
  readonly refreshToken: string | undefined
  /** Granted scopes as the provider writes them; a list is joined by spaces. Undefined: as asked for. */
  readonly scope: string | undefined
  /**
   * Other facts of the answer, such as `instance_url` or `team.id`: at most 20 short plain values. What a person gave
   * wins over them.
   */
  readonly extra: Readonly<Record<string, string | number | boolean>>
}

/** The provider said no, and will say so again. */
export interface Refused {
  readonly kind: 'refused'
  /** A code of RFC 6749 section 5.2 where one fits, else the provider's own, else `unspecified`. */
  readonly error: string
  /** The provider's words without secrets, at most 200 characters. For logs and developers, not for pages. */
  readonly description: string
}

/** There is no usable answer. Nothing is known about the grant. */
export interface Unavailable {
  readonly kind: 'unavailable'
  readonly reason: 'timeout' | 'unreachable' | 'rate_limited' | 'server_error' | 'bad_answer'
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number
  /** The request may have been acted on: a code may be used up, a refresh token replaced. */
  readonly replyMayBeLost: boolean
}

/** How a request to a token endpoint ends. */
export type TokenResult =
  | { readonly kind: 'tokens'; readonly tokens: Tokens }
  | Refused
  | Unavailable
