import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendOn } from '../../page/send-page.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import { allowedHome, reachOf } from '../attempt/attempt-context.ts'
import type { Outcome } from '../callback/oauth-callback.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { returnUrl } from '../start/redirect-url.ts'
import { attemptNames } from './attempt-names.ts'
import { isSameBrowser, readBrowserSecret } from './browser-secret.ts'
import { donePage, failedPage } from './pages.ts'
import { sendScreen, sendStop } from './send-screen.ts'

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
  const names = await attemptNames(deps, attempt)
  const workspace = await deps.workspaces.find(reachOf(attempt), attempt.workspace_id)
  const home = workspace && (await allowedHome(deps, attempt, workspace))
  if (home === undefined)
    return sendOn(reply, `${deps.baseUrl()}/oauth/finished/${attempt.attempt_id}`)
  const result =
    'code' in outcome
      ? { success: 'false', error: outcome.code }
      : {
          success: 'true',
          integrationAccountId: outcome.accountId,
          confirmToken: outcome.confirmToken ?? null,
        }
  return sendOn(
    reply,
    returnUrl(home, {
      ...result,
      integrationName: names?.tool ?? null,
      accountIdentifier: attempt.account_identifier,
    }),
  )
}

/** Tells the browser that went through an attempt how it ended. */
export async function showFinished(
  deps: ConnectDeps,
  attemptId: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const attempt = await deps.attempts.findFinished(attemptId)
  const secret = readBrowserSecret(request, deps.baseUrl())
  if (attempt === undefined || !isSameBrowser(secret, attempt.browser_hash))
    return sendStop(request, reply, 404, 'finished')
  const names = await attemptNames(deps, attempt)
  if (names === undefined) return sendStop(request, reply, 404, 'notKnown')
  const isConnected = attempt.outcome === 'connected'
  return sendScreen(
    { request, reply, status: 200, settings: names.settings },
    isConnected ? donePage(names) : failedPage(attempt.outcome ?? 'internal_error', names),
  )
}
