import { hashSecret } from '../../oauth/authorize/random.ts'
import { type AttemptContext, hasEnded } from '../attempt/attempt-context.ts'
import { sealAttempt } from '../attempt/attempt-secrets.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import type { ProvenTokens } from './prove-tokens.ts'
import { CONFIRM_MS, type Connection, refuseOtherIdentity } from './store-connection.ts'

/**
 * Keeps what a reconnect brought, sealed in its attempt, until the host confirms it. The account goes on with its old
 * credentials.
 *
 * @throws ApiError `identity_mismatch`, `oauth_attempt_invalid`
 */
export async function holdReconnect(
  deps: ConnectDeps,
  context: AttemptContext,
  proven: ProvenTokens,
  confirmToken: string,
): Promise<Connection> {
  refuseOtherIdentity(context, proven)
  const { attempt, secrets, account } = context
  if (account === undefined) throw hasEnded()
  const held = {
    confirmHash: hashSecret(confirmToken),
    sealed: await sealAttempt(deps.vault, attempt, { ...secrets, proven }),
    until: deps.now() + CONFIRM_MS,
  }
  const isHeld = await deps.database.transaction((trx) =>
    deps.attempts.hold(trx, attempt.attempt_id, held),
  )
  if (!isHeld) throw hasEnded()
  return { accountId: account.account_id, confirmToken }
}
