import type { Caller } from '../../caller/caller.ts'
import { fieldError, validationFailed } from '../../errors.ts'
import { hashSecret, newState } from '../../oauth/authorize/random.ts'
import { newId } from '../../storage/id.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import { sealAttempt } from '../attempt/attempt-secrets.ts'
import { endOverdueAccounts } from '../attempt/end-overdue-accounts.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import type { StartedOAuth, StartOAuth } from '../oauth-schemas.ts'
import { judgeStartConfig } from './judge-start-config.ts'
import { withoutFilled } from './provider-fields.ts'
import { checkRedirectUrl } from './redirect-url.ts'
import { findStartTarget, type StartTarget } from './start-target.ts'

/** How long a person has from start to callback. */
const LIFE_MS = 10 * 60_000

/**
 * Starts a connection by sign-in at the provider. Answers the URL of a one-time page: whoever opens it is told who asks
 * for what, and only its button binds the flow to that browser.
 *
 * @throws ApiError `redirect_url_not_allowed`, `validation_failed`, and what findStartTarget throws
 */
export async function startOAuth(
  deps: ConnectDeps,
  caller: Caller,
  input: StartOAuth,
): Promise<StartedOAuth> {
  const target = await findStartTarget(deps, caller, input)
  refuseIncomplete(input)
  if (input.redirectURL != null)
    checkRedirectUrl(input.redirectURL, target.workspace, deps.baseUrl())
  const config = { ...target.keptConfig, ...withoutFilled(input.config ?? {}) }
  await judgeStartConfig(deps.judgeConfig, target, config)
  // 256 bits, as a state has.
  const pageToken = newState()
  const attempt = newAttempt(deps, caller, target, input)
  const row = {
    ...attempt,
    page_hash: hashSecret(pageToken),
    sealed: await sealAttempt(deps.vault, attempt, {
      config,
      bundleSha256: target.definition.bundle_sha256,
    }),
  }
  await deps.database.transaction(async (trx) => {
    await endOverdueAccounts(deps, trx)
    await deps.attempts.insert(trx, caller, row)
  })
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

function newAttempt(
  deps: ConnectDeps,
  caller: Caller,
  { workspace, definition, app, linkId, account, authType }: StartTarget,
  input: StartOAuth,
): OAuthAttemptRow {
  const now = deps.now()
  return {
    attempt_id: newId('att', now),
    page_hash: null,
    state_hash: null,
    browser_hash: null,
    workspace_id: workspace.workspace_id,
    definition_id: definition.definition_id,
    oauth_app_id: app.oauth_app_id,
    link_id: linkId,
    account_id: account?.account_id ?? null,
    user_id: caller.userId,
    token_id: caller.tokenId,
    auth_type: authType,
    name: input.integrationAccountName ?? account?.name ?? '',
    account_identifier: input.accountIdentifier ?? account?.account_identifier ?? null,
    sealed: null,
    redirect_url: input.redirectURL ?? null,
    needs_confirm: (input.confirm ?? true) ? 1 : 0,
    allow_other_identity: input.allowOtherIdentity ? 1 : 0,
    created_at: now,
    expires_at: now + LIFE_MS,
    claimed_at: null,
    finished_at: null,
    outcome: null,
  }
}
