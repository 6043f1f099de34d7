import { hashSecret } from '../../oauth/authorize/pkce.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { type OAuthSessionContext, sessionEnded } from '../session/session-context.ts'
import { sealSessionSecrets } from '../session/session-secrets.ts'
import { assertSameIdentity, CONFIRM_MS, type Connection } from './store-connection.ts'
import type { VerifiedTokens } from './verify-tokens.ts'

/**
 * Keeps what a reconnect brought, sealed in its attempt, until the host confirms it. The account goes on with its old
 * credentials.
 *
 * @throws ApiError `identity_mismatch`, `oauth_attempt_invalid`
 */
export async function awaitReconnectConfirmation(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  verified: VerifiedTokens,
  confirmToken: string,
): Promise<Connection> {
  assertSameIdentity(context, verified)
  const { session, secrets, account } = context
  if (account === undefined) throw sessionEnded()
  const confirmation = {
    confirmHash: hashSecret(confirmToken),
    sealed: await sealSessionSecrets(deps.vault, session, { ...secrets, proven: verified }),
    until: deps.now() + CONFIRM_MS,
  }
  const isStored = await deps.database.transaction((trx) =>
    deps.oauthSessions.awaitConfirmation(trx, session.attempt_id, confirmation),
  )
  if (!isStored) throw sessionEnded()
  return { accountId: account.account_id, confirmToken }
}
