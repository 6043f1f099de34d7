import type { OAuthAttemptRow } from '../../storage/tables.ts'
import { allowedHome, reachOf } from '../attempt/attempt-context.ts'
import type { Outcome } from '../callback/oauth-callback.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { returnUrl } from '../start/redirect-url.ts'
import { attemptNames } from './attempt-names.ts'

/** The start's `redirectURL` with how the attempt ended; undefined when it named none, or one that is not allowed any more. */
export async function homeUrl(
  deps: ConnectDeps,
  attempt: OAuthAttemptRow,
  outcome: Outcome,
): Promise<string | undefined> {
  const workspace = await deps.workspaces.find(reachOf(attempt), attempt.workspace_id)
  const home = workspace && (await allowedHome(deps, attempt, workspace))
  if (home === undefined) return undefined
  const names = await attemptNames(deps, attempt)
  const result =
    'code' in outcome
      ? { success: 'false', error: outcome.code }
      : {
          success: 'true',
          integrationAccountId: outcome.accountId,
          confirmToken: outcome.confirmToken ?? null,
        }
  return returnUrl(home, {
    ...result,
    integrationName: names?.tool ?? null,
    accountIdentifier: attempt.account_identifier ?? (await identifierOf(deps, attempt)),
  })
}

/** A reconnect that names none goes by what its account has. */
async function identifierOf(deps: ConnectDeps, attempt: OAuthAttemptRow): Promise<string | null> {
  if (attempt.account_id === null) return null
  const account = await deps.accounts.find(reachOf(attempt), attempt.account_id)
  return account?.account_identifier ?? null
}
