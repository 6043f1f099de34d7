import type { ApiError } from '../../errors.ts'
import type { TokenResult, Tokens } from '../../oauth/answer/token-result.ts'
import {
  type AuthorizationResponse,
  isFromIssuer,
} from '../../oauth/authorize/authorization-response.ts'
import { callbackUrl } from '../../oauth/authorize/callback-url.ts'
import { TemplateError } from '../../oauth/template/template-error.ts'
import { fillText } from '../../oauth/template/template-value.ts'
import { exchangeCode } from '../../oauth/token/token-endpoint.ts'
import { openClient } from '../../oauth-app/oauth-client.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import { providerFailure, refusedBy } from '../attempt/provider-failure.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { templateValues } from '../start/judge-start-config.ts'
import { keptParams } from './kept-params.ts'

/**
 * Turns what a browser brought back into tokens. The code goes to the token endpoint of the stored flow, once, and only
 * when the answer comes from the issuer that was asked (RFC 9207).
 *
 * @throws ApiError `oauth_issuer_mismatch`, `access_denied`, `token_exchange_failed`, `provider_error`, `provider_timeout`
 */
export async function tokensFrom(
  deps: ConnectDeps,
  context: AttemptContext,
  response: AuthorizationResponse,
): Promise<Tokens> {
  const values = templateValues(context.secrets.config, context.app)
  if (response.kind === 'invalid') throw refusedBy('token_exchange_failed', 'no usable answer')
  try {
    const { issuer } = context.type
    const expected = issuer === undefined ? undefined : fillText(issuer, values)
    if (!isFromIssuer(response.iss, expected))
      throw refusedBy('oauth_issuer_mismatch', 'another issuer answered')
    if (response.kind === 'error') throw authorizationError(response.error)
    const { codeVerifier } = context.secrets
    const client = await openClient(deps, context.app)
    const redirectUri = callbackUrl(deps.baseUrl())
    const { type, tenant } = context
    const { code } = response
    const kept = await keptParams(deps, context, response.extra)
    const tokens = granted(
      await exchangeCode(deps, { type, client, code, redirectUri, codeVerifier, values, tenant }),
    )
    // What the provider says itself wins over what came through a browser.
    return { ...tokens, extra: { ...kept, ...tokens.extra } }
  } catch (error) {
    if (error instanceof TemplateError) throw refusedBy('token_exchange_failed', error.message)
    throw error
  }
}

function granted(result: TokenResult): Tokens {
  if (result.kind === 'tokens') return result.tokens
  throw providerFailure(result, 'token_exchange_failed')
}

/** RFC 6749 section 4.1.2.1. A person who said no is told apart, and a provider that is down. */
function authorizationError(error: string): ApiError {
  if (error === 'access_denied') return refusedBy('access_denied', error)
  if (error === 'server_error' || error === 'temporarily_unavailable')
    return refusedBy('provider_error', error)
  return refusedBy('token_exchange_failed', error)
}
