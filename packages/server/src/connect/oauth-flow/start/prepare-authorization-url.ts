import { toConsentPageUrl } from '../../../integrations/acme-sandbox/consent-page.ts'
import { getCallbackUrl } from '../../../integrations/oauth/authorize/authorization-response.ts'
import { buildAuthorizationUrl } from '../../../integrations/oauth/authorize/authorization-url.ts'
import { deriveCodeChallenge } from '../../../integrations/oauth/authorize/pkce.ts'
import { pushAuthorizationRequest } from '../../../integrations/oauth/authorize/push-authorization-request.ts'
import { TemplateError } from '../../../integrations/oauth/template/template-value.ts'
import { loadOAuthClient } from '../../../integrations/oauth-apps/load-oauth-client.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { getTemplateValues, type OAuthSessionContext } from '../session/session-context.ts'
import { signInError, toSignInError } from '../session/sign-in-error.ts'

/**
 * Builds the authorization URL. If the spec names a pushed authorization request endpoint, pushes the request there
 * once, and the URL contains only its `request_uri` (RFC 9126).
 *
 * @throws ApiError `authorization_request_failed`, `provider_error`, `provider_timeout`
 */
export async function prepareAuthorizationUrl(
  deps: OAuthFlowDeps,
  { type, app, secrets, tenant }: Pick<OAuthSessionContext, 'app' | 'secrets' | 'type' | 'tenant'>,
  { state, codeVerifier }: { readonly state: string; readonly codeVerifier: string },
): Promise<string> {
  const request = {
    type,
    redirectUri: getCallbackUrl(deps.baseUrl()),
    scopes: app.scopes,
    state,
    codeChallenge: await deriveCodeChallenge(codeVerifier),
    values: getTemplateValues(secrets.config, app),
  }
  try {
    if (type.pushedRequestUrl === undefined)
      return toConsentPageUrl(
        buildAuthorizationUrl({ ...request, clientId: app.clientId }),
        deps.baseUrl(),
      )
    const client = await loadOAuthClient(deps, app)
    const result = await pushAuthorizationRequest(deps, { ...request, client, tenant })
    if (result.kind === 'pushed') return result.url
    throw toSignInError(result, 'authorization_request_failed')
  } catch (error) {
    if (error instanceof TemplateError)
      throw signInError('authorization_request_failed', error.problem)
    throw error
  }
}
