import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { createSessionAttempt, type EndingRequest } from '../session/end-session.ts'
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
  { session, secrets, definition }: OAuthSessionContext,
  verified: VerifiedTokens,
  request: EndingRequest,
): Promise<{ readonly code: typeof CODE }> {
  const { sessionId } = session
  const pending = {
    confirmHash: null,
    sealed: await sealSessionSecrets(deps.vault, session, { ...secrets, proven: verified }),
    until: deps.now() + CHOICE_MS,
  }
  const attempted = { ...session, accountId: null }
  const attempt = createSessionAttempt(deps, attempted, request, async (trx) => {
    // Otherwise the window was opened again, and another session has replaced this one.
    if (!(await deps.confirmations.awaitDecision(trx, sessionId, pending))) return undefined
    const running = await deps.oauthSessions.setChoice(trx, sessionId, CODE)
    return running ?? { connectSessionId: null }
  })
  attempt.tool = definition
  await attempt.fail(undefined, { code: CODE })
  return { code: CODE }
}
