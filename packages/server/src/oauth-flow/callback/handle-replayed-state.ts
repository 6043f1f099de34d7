import type { FastifyReply, FastifyRequest } from 'fastify'
import { redirect } from '../../ui/send-page.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { isSameBrowser } from '../pages/browser-secret.ts'
import { sendFinishPage } from '../pages/finish-page.ts'
import { sendErrorPage } from '../pages/send-oauth-page.ts'

/**
 * Answers a state that was used before or is none. Nothing is done again and no provider is asked; only the browser that went
 * through the attempt is shown its way on, since a reload throws away the answer that it waited for.
 */
export async function handleReplayedState(
  deps: OAuthFlowDeps,
  stateHash: Uint8Array,
  browserSecret: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = await deps.oauthSessions.findByState(stateHash)
  if (session?.claimed_at == null) return sendErrorPage(request, reply, 400, 'notKnown')
  if (browserSecret === undefined || !isSameBrowser(browserSecret, session.browser_hash))
    return sendErrorPage(request, reply, 400, 'finished')
  const returnUrl = await deps.sessionHooks.returnUrl(session)
  if (returnUrl !== undefined) return redirect(reply, returnUrl)
  return sendFinishPage(deps, session, browserSecret, { request, reply, isReplay: true })
}
