import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendOn } from '../../page/send-page.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { isSameBrowser } from '../pages/browser-secret.ts'
import { sendFinished } from '../pages/finished-page.ts'
import { sendStop } from '../pages/send-screen.ts'

/**
 * Answers a state that was used before or is none. Nothing is done again and no provider is asked; only the browser that went
 * through the attempt is shown its way on, since a reload throws away the answer that it waited for.
 */
export async function answerAgain(
  deps: ConnectDeps,
  stateHash: Uint8Array,
  browserSecret: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const known = await deps.attempts.findByState(stateHash)
  if (known?.claimed_at == null) return sendStop(request, reply, 400, 'notKnown')
  if (browserSecret === undefined || !isSameBrowser(browserSecret, known.browser_hash))
    return sendStop(request, reply, 400, 'finished')
  const wayBack = await deps.afterAttempt.wayBack(known)
  if (wayBack !== undefined) return sendOn(reply, wayBack)
  return sendFinished(deps, known, browserSecret, { request, reply, isAgain: true })
}
