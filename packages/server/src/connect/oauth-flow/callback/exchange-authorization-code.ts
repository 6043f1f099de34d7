import { listConfigFields } from '../../../accounts/accounts/credentials/account-config.ts'
import {
  type AuthorizationResponse,
  getCallbackUrl,
  isExpectedIssuer,
} from '../../../integrations/oauth/authorize/authorization-response.ts'
import {
  fillPlaceholders,
  TemplateError,
} from '../../../integrations/oauth/template/template-value.ts'
import { exchangeCode } from '../../../integrations/oauth/token/token-endpoint.ts'
import type {
  TokenResult,
  Tokens,
} from '../../../integrations/oauth/token-response/token-result.ts'
import { loadOAuthClient } from '../../../integrations/oauth-apps/load-oauth-client.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { getTemplateValues, type OAuthSessionContext } from '../session/session-context.ts'
import { signInError, toSignInError } from '../session/sign-in-error.ts'

/**
 * Exchanges the code of an authorization response for tokens (RFC 6749 section 4.1.3). Sends the code once, to the
 * token endpoint of the session, and only if the response has the expected issuer (RFC 9207).
 *
 * @throws ApiError `oauth_issuer_mismatch`, `access_denied`, `admin_consent_granted`, `token_exchange_failed`,
 * `provider_error`, `provider_timeout`
 */
export async function exchangeAuthorizationCode(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  response: AuthorizationResponse,
): Promise<Tokens> {
  const values = getTemplateValues(context.secrets.config, context.app)
  if (response.kind === 'admin_consent')
    throw signInError('admin_consent_granted', 'consent of an administrator, without a code')
  if (response.kind === 'invalid')
    throw signInError('token_exchange_failed', 'invalid authorization response')
  try {
    const { issuer } = context.type
    const expected = issuer === undefined ? undefined : fillPlaceholders(issuer, values)
    if (!isExpectedIssuer(response.iss, expected))
      throw signInError('oauth_issuer_mismatch', 'unexpected issuer')
    if (response.kind === 'error') throw toAuthorizationResponseError(response.error)
    const { codeVerifier } = context.secrets
    const client = await loadOAuthClient(deps, context.app)
    const redirectUri = getCallbackUrl(deps.baseUrl())
    const { type, tenant } = context
    const { code } = response
    const allowedParams = await pickAllowedCallbackParams(deps, context, response.extra)
    const tokens = requireTokens(
      await exchangeCode(deps, { type, client, code, redirectUri, codeVerifier, values, tenant }),
    )
    // The token response takes precedence over parameters that came through a browser.
    return { ...tokens, extra: { ...allowedParams, ...tokens.extra } }
  } catch (error) {
    if (error instanceof TemplateError) throw signInError('token_exchange_failed', error.problem)
    throw error
  }
}

function requireTokens(result: TokenResult): Tokens {
  if (result.kind === 'tokens') return result.tokens
  throw toSignInError(result, 'token_exchange_failed')
}

/** Maps an error response (RFC 6749 section 4.1.2.1): denied access and provider outages have their own codes. */
function toAuthorizationResponseError(error: string): ApiError {
  if (error === 'access_denied') return signInError('access_denied', error)
  if (error === 'server_error' || error === 'temporarily_unavailable')
    return signInError('provider_error', error)
  return signInError('token_exchange_failed', error)
}

/**
 * Returns the callback parameters that the spec lists in `callback_params`. They came through a browser, so values that
 * the spec's field of that name does not allow are dropped: only validated values may affect where requests are sent.
 */
export async function pickAllowedCallbackParams(
  deps: Pick<OAuthFlowDeps, 'validateConfig'>,
  { session, tenant, spec, type }: OAuthSessionContext,
  params: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const names = type.callbackParams.filter((name) => Object.hasOwn(params, name))
  const allowed = new Map(names.map((name) => [name, params[name] ?? '']))
  const fields = listConfigFields(spec, session.authType)
  for (const [name, value] of allowed) {
    const property = fields?.properties.get(name)
    if (property === undefined) continue
    const schema = { properties: new Map([[name, property]]), required: [], declaresRequired: true }
    if (!(await isValid(deps.validateConfig(schema, { [name]: value }, tenant))))
      allowed.delete(name)
  }
  return Object.fromEntries(allowed)
}

async function isValid(validation: Promise<void>): Promise<boolean> {
  try {
    await validation
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'validation_failed') return false
    throw error
  }
}
