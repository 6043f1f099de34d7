import { buildAuthorizationUrl } from '../../oauth/authorize/authorization-url.ts'
import { callbackUrl } from '../../oauth/authorize/callback-url.ts'
import { pushRequest } from '../../oauth/authorize/push-request.ts'
import { codeChallenge } from '../../oauth/authorize/random.ts'
import { TemplateError } from '../../oauth/template/template-error.ts'
import { appScopes } from '../../oauth-app/oauth-app-answer.ts'
import { openClient } from '../../oauth-app/oauth-client.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import { providerFailure, refusedBy } from '../attempt/provider-failure.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { templateValues } from '../start/judge-start-config.ts'

/**
 * Where the person signs in. Where the spec names an endpoint for it, the request is pushed there first, once, and the
 * URL says nothing but its name (RFC 9126); an endpoint that fails ends the attempt.
 *
 * @throws ApiError `authorization_request_failed`, `provider_error`, `provider_timeout`
 */
export async function consentUrl(
  deps: ConnectDeps,
  { type, app, secrets, tenant }: Pick<AttemptContext, 'app' | 'secrets' | 'type' | 'tenant'>,
  { state, codeVerifier }: { readonly state: string; readonly codeVerifier: string },
): Promise<string> {
  const request = {
    type,
    redirectUri: callbackUrl(deps.baseUrl()),
    scopes: appScopes(app),
    state,
    codeChallenge: await codeChallenge(codeVerifier),
    values: templateValues(secrets.config, app),
  }
  try {
    if (type.pushedRequestUrl === undefined)
      return buildAuthorizationUrl({ ...request, clientId: app.client_id })
    const client = await openClient(deps, app)
    const result = await pushRequest(deps, { ...request, client, tenant })
    if (result.kind === 'pushed') return result.url
    throw providerFailure(result, 'authorization_request_failed')
  } catch (error) {
    if (error instanceof TemplateError)
      throw refusedBy('authorization_request_failed', error.message)
    throw error
  }
}
