import type { Caller } from '../../caller/caller.ts'
import { fieldError, validationFailed } from '../../errors.ts'
import { hashSecret, newState } from '../../oauth/authorize/random.ts'
import { sealAttempt } from '../attempt/attempt-secrets.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import type { StartedOAuth, StartOAuth } from '../oauth-schemas.ts'
import { admitEndpoints } from './admit-endpoints.ts'
import { admitReconnect } from './admit-reconnect.ts'
import { judgeStartConfig } from './judge-start-config.ts'
import { newAttempt, newSecrets } from './new-attempt.ts'
import { withoutFilled } from './provider-fields.ts'
import { checkRedirectUrl, redirectPlace } from './redirect-url.ts'
import { findStartTarget } from './start-target.ts'

/**
 * Starts a connection by sign-in at the provider. Answers the URL of a one-time page: whoever opens it is told who asks
 * for what, and only its button binds the flow to that browser.
 *
 * @throws ApiError `redirect_url_not_allowed`, `validation_failed`, `secret_required`, and what
 * findStartTarget and admitEndpoints throw
 */
export async function startOAuth(
  deps: ConnectDeps,
  caller: Caller,
  input: StartOAuth,
): Promise<StartedOAuth> {
  const target = await findStartTarget(deps, caller, input)
  refuseIncomplete(input)
  if (input.redirectURL != null)
    checkRedirectUrl(
      input.redirectURL,
      redirectPlace(target.workspace, target.link),
      deps.baseUrl(),
    )
  const sent = withoutFilled(input.config ?? {})
  const secrets = newSecrets(target, sent)
  await judgeStartConfig(deps.judgeConfig, target, secrets.config)
  await admitReconnect(deps, caller, target, sent, secrets.config)
  await admitEndpoints(deps, caller, target, secrets.config)
  // 256 bits, as a state has.
  const pageToken = newState()
  const attempt = newAttempt(target, caller, input, deps.now())
  const row = {
    ...attempt,
    page_hash: hashSecret(pageToken),
    sealed: await sealAttempt(deps.vault, attempt, secrets),
  }
  await deps.database.transaction((trx) => deps.attempts.insert(trx, caller, row))
  return { status: 200, redirectURL: `${deps.baseUrl()}/oauth/connect/${pageToken}` }
}

function refuseIncomplete(input: StartOAuth): void {
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
