import { toNestedFields } from '../../../../integrations/oauth/token-response/nested-token-fields.ts'
import type { Tokens } from '../../../../integrations/oauth/token-response/token-result.ts'

/**
 * Merges newly issued tokens, and the other parameters of the token response, into a configuration. Keeps values that
 * the response omits, and never overwrites an input field.
 */
export function mergeTokens(
  config: Readonly<Record<string, unknown>>,
  { accessToken, refreshToken, scope, tokenType, nested, extra }: Tokens,
  isInputField: (name: string) => boolean,
): Record<string, unknown> {
  const inputEntries = Object.entries(config).filter(([name]) => isInputField(name))
  return {
    ...config,
    ...extra,
    ...toNestedFields(nested),
    ...Object.fromEntries(inputEntries),
    access_token: accessToken,
    token_type: tokenType,
    ...(scope === undefined ? {} : { scope }),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  }
}
