import type { Actor } from '../../../platform/record/change.ts'
import { settleConnectSession } from '../../connect-sessions/settle-connect-session.ts'
import { recordFailedAttempt } from '../../links/connect-failure-store.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { VerifiedTokens } from '../session/oauth-session.ts'
import { type OAuthSessionContext, sealSessionSecrets } from '../session/session-context.ts'

/** How long a person has to choose, as long as the cookie that binds the sign-in to the browser. */
export const CHOICE_MS = 10 * 60_000

const CODE = 'already_connected'

/**
 * Keeps the tokens of a sign-in in its session, encrypted, until the person has chosen whether to update the connection of the same
 * user or to add another one. Nothing is connected so far, so a failed attempt is recorded.
 */
export async function offerChoice(
  deps: OAuthFlowDeps,
  { session, secrets, access, definition }: OAuthSessionContext,
  verified: VerifiedTokens,
  { requestId, ip }: Pick<Actor, 'ip' | 'requestId'>,
): Promise<{ readonly code: typeof CODE }> {
  const { sessionId, tokenId, workspaceId, definitionId, linkId, accountIdentifier } = session
  const pending = {
    confirmHash: null,
    sealed: await sealSessionSecrets(deps.vault, session, { ...secrets, proven: verified }),
    until: deps.now() + CHOICE_MS,
  }
  await deps.database.transaction(async (trx) => {
    const now = deps.now()
    // Otherwise the window was opened again, and another session has replaced this one.
    if (!(await deps.confirmations.awaitDecision(trx, sessionId, pending))) return
    const running = await deps.oauthSessions.setChoice(trx, sessionId, CODE)
    const connectSessionId = running?.connectSessionId ?? null
    const actor = { userId: access.userId, tokenId, requestId, ip }
    if (connectSessionId !== null)
      await settleConnectSession(deps, trx, actor, connectSessionId, { code: CODE }, now)
    await recordFailedAttempt(trx, actor, now, {
      workspaceId,
      definitionId,
      linkId,
      tokenId,
      connectSessionId,
      accountIdentifier,
      accountId: null,
      authType: session.authType,
      providerStatus: null,
      code: CODE,
      field: null,
      person: accountIdentifier ?? sessionId,
    })
  })
  if (linkId !== null) deps.counters.refused(linkId, CODE)
  deps.attemptCounts.add({ definition, method: 'sign_in', outcome: 'failed', code: CODE })
  return { code: CODE }
}
