import type { Caller } from '../../auth/caller.ts'
import { fieldError, validationFailed } from '../../errors.ts'
import { generateState, hashSecret } from '../../oauth/authorize/pkce.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { StartedOAuth, StartOAuth } from '../oauth-schemas.ts'
import { assertRedirectUrlAllowed, redirectPolicy } from '../session/redirect-url.ts'
import { sealSessionSecrets } from '../session/session-secrets.ts'
import { newOAuthSession, newSessionSecrets } from './new-oauth-session.ts'
import { dropProviderFields } from './prompt-fields.ts'
import { resolveStart } from './resolve-start.ts'
import {
  assertEndpointsAllowed,
  assertReconnectAllowed,
  validateStartConfig,
} from './validate-start.ts'

/**
 * Starts a connection by sign-in at the provider. Answers the URL of a one-time page: whoever opens it is told who asks
 * for what, and only its button binds the flow to that browser.
 *
 * @throws ApiError `redirect_url_not_allowed`, `validation_failed`, `secret_required`, and what
 * findStartTarget and admitEndpoints throw
 */
export async function startOAuth(
  deps: OAuthFlowDeps,
  caller: Caller,
  input: StartOAuth,
): Promise<StartedOAuth> {
  const target = await resolveStart(deps, caller, input)
  assertComplete(input)
  if (input.redirectURL != null)
    assertRedirectUrlAllowed(
      input.redirectURL,
      redirectPolicy(target.workspace, target.link),
      deps.baseUrl(),
    )
  const inputConfig = dropProviderFields(input.config ?? {})
  const secrets = newSessionSecrets(target, inputConfig)
  await validateStartConfig(deps.validateConfig, target, secrets.config)
  await assertReconnectAllowed(deps, caller, target, inputConfig, secrets.config)
  await assertEndpointsAllowed(deps, caller, target, secrets.config)
  // 256 bits, as a state has.
  const pageToken = generateState()
  const session = newOAuthSession(target, caller, input, deps.now())
  const row = {
    ...session,
    page_hash: hashSecret(pageToken),
    sealed: await sealSessionSecrets(deps.vault, session, secrets),
  }
  await deps.database.transaction((trx) => deps.oauthSessions.insert(trx, caller, row))
  return { status: 200, redirectURL: `${deps.baseUrl()}/oauth/connect/${pageToken}` }
}

function assertComplete(input: StartOAuth): void {
  if (input.integrationAccountName == null && input.integrationAccountId == null)
    throw validationFailed(
      fieldError('integrationAccountName', 'required', 'This field is required.'),
    )
  if ((input.confirm ?? true) && input.redirectURL == null)
    throw validationFailed(
      fieldError(
        'redirectURL',
        'required',
        'The token that confirms the connection arrives there. Send "confirm": false to do without both.',
      ),
    )
}
