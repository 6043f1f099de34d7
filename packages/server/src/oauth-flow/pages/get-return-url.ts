import type { OAuthAttemptRow } from '../../storage/tables.ts'
import type { SessionOutcome } from '../callback/handle-oauth-callback.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { allowedRedirectUrl, getAccessScope } from '../session/session-context.ts'
import { buildReturnUrl } from '../start/redirect-url.ts'
import { getSessionNames } from './session-names.ts'

/** The start's `redirectURL` with how the attempt ended; undefined when it named none, or one that is not allowed any more. */
export async function getReturnUrl(
  deps: OAuthFlowDeps,
  session: OAuthAttemptRow,
  outcome: SessionOutcome,
): Promise<string | undefined> {
  const workspace = await deps.workspaces.find(getAccessScope(session), session.workspace_id)
  const redirectUrl = workspace && (await allowedRedirectUrl(deps, session, workspace))
  if (redirectUrl === undefined) return undefined
  const names = await getSessionNames(deps, session)
  const result =
    'code' in outcome
      ? { success: 'false', error: outcome.code }
      : {
          success: 'true',
          integrationAccountId: outcome.accountId,
          confirmToken: outcome.confirmToken ?? null,
        }
  return buildReturnUrl(redirectUrl, {
    ...result,
    integrationName: names?.tool ?? null,
    accountIdentifier: session.account_identifier ?? (await getAccountIdentifier(deps, session)),
  })
}

/** A reconnect that names none goes by what its account has. */
async function getAccountIdentifier(
  deps: OAuthFlowDeps,
  session: OAuthAttemptRow,
): Promise<string | null> {
  if (session.account_id === null) return null
  const account = await deps.accounts.find(getAccessScope(session), session.account_id)
  return account?.account_identifier ?? null
}
