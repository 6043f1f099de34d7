import type { FastifyReply } from 'fastify'
import { sendOn } from '../../page/send-page.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import type { Outcome } from '../callback/oauth-callback.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { finishedUrl } from './finished-page.ts'
import { homeUrl } from './home-url.ts'

/**
 * Sends the person back to where they came from with the outcome, or to a page of ours that tells it: no page stays open
 * under an address with a code in it.
 */
export async function leaveOAuth(
  deps: ConnectDeps,
  attempt: OAuthAttemptRow,
  outcome: Outcome,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const wayBack = await deps.afterAttempt.wayBack(attempt)
  if (wayBack !== undefined) return sendOn(reply, wayBack)
  const home = await homeUrl(deps, attempt, outcome)
  return sendOn(reply, home ?? finishedUrl(deps.baseUrl(), attempt))
}
