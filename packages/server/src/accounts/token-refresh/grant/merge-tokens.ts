import type { Tokens } from '../../../oauth/token-response/token-result.ts'

/**
 * A configuration with newly issued tokens, and what the provider says beside them, in place of those that it had. What
 * they leave out stays, and so does what somebody gave.
 */
export function mergeTokens(
  config: Readonly<Record<string, unknown>>,
  { accessToken, refreshToken, scope, tokenType, extra }: Tokens,
  isInputField: (name: string) => boolean,
): Record<string, unknown> {
  const inputEntries = Object.entries(config).filter(([name]) => isInputField(name))
  return {
    ...config,
    ...extra,
    ...Object.fromEntries(inputEntries),
    access_token: accessToken,
    token_type: tokenType,
    ...(scope === undefined ? {} : { scope }),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  }
}
