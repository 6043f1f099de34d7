import type { Tokens } from '../../../oauth/answer/token-result.ts'

/**
 * A configuration with newly issued tokens, and what the provider says beside them, in place of those that it had. What
 * they leave out stays, and so does what somebody gave.
 */
export function withTokens(
  config: Readonly<Record<string, unknown>>,
  { accessToken, refreshToken, scope, tokenType, extra }: Tokens,
  mayBeGiven: (name: string) => boolean,
): Record<string, unknown> {
  const given = Object.entries(config).filter(([name]) => mayBeGiven(name))
  return {
    ...config,
    ...extra,
    ...Object.fromEntries(given),
    access_token: accessToken,
    token_type: tokenType,
    ...(scope === undefined ? {} : { scope }),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  }
}
