import type { Tokens } from '../../../oauth/answer/token-result.ts'

/** A configuration with newly issued tokens in place of those that it had. What they leave out stays. */
export function withTokens(
  config: Readonly<Record<string, unknown>>,
  { accessToken, refreshToken, scope, tokenType, extra }: Tokens,
): Record<string, unknown> {
  return {
    ...extra,
    ...config,
    access_token: accessToken,
    token_type: tokenType,
    ...(scope === undefined ? {} : { scope }),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  }
}
