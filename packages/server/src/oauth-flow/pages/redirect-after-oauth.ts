import type { FastifyReply } from 'fastify'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import { redirect } from '../../ui/send-page.ts'
import type { SessionOutcome } from '../callback/handle-oauth-callback.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { finishPageUrl } from './finish-page.ts'
import { getReturnUrl } from './get-return-url.ts'

/**
 * Sends the person back to where they came from with the outcome, or to a page of ours that tells it: no page stays open
 * under an address with a code in it.
 */
export async function redirectAfterOAuth(
  deps: OAuthFlowDeps,
  session: OAuthAttemptRow,
  outcome: SessionOutcome,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const returnUrl = await deps.sessionHooks.returnUrl(session)
  if (returnUrl !== undefined) return redirect(reply, returnUrl)
  const redirectUrl = await getReturnUrl(deps, session, outcome)
  return redirect(reply, redirectUrl ?? finishPageUrl(deps.baseUrl(), session))
}
