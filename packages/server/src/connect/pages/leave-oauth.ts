import type { FastifyReply, FastifyRequest } from 'fastify'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import { sendOn, sendPage } from '../../page/send-page.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import { reachOf } from '../attempt/attempt-context.ts'
import type { Outcome } from '../callback/oauth-callback.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { returnUrl } from '../start/redirect-url.ts'
import { isSameBrowser, readBrowserSecret } from './browser-secret.ts'
import { workspaceName } from './oauth-page.ts'
import { donePage, failedPage, stopPage } from './pages.ts'

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
  if (attempt.redirect_url === null)
    return sendOn(reply, `${deps.baseUrl()}/oauth/finished/${attempt.attempt_id}`)
  const definition = await deps.definitions.find(reachOf(attempt), attempt.definition_id)
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
    returnUrl(attempt.redirect_url, {
      ...result,
      integrationName: definition?.name ?? null,
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
    return sendPage(reply, 404, stopPage('finished'))
  const reach = reachOf(attempt)
  const definition = await deps.definitions.find(reach, attempt.definition_id)
  const workspace = await deps.workspaces.find(reach, attempt.workspace_id)
  if (definition === undefined || workspace === undefined)
    return sendPage(reply, 404, stopPage('finished'))
  const names = [definition.name, workspaceName(workspace)] as const
  return attempt.outcome === 'connected'
    ? sendPage(reply, 200, donePage(...names))
    : sendPage(reply, 200, failedPage(errorCode(attempt.outcome), ...names))
}

function errorCode(outcome: string | null): ErrorCode {
  return outcome !== null && Object.hasOwn(ERRORS, outcome)
    ? (outcome as ErrorCode)
    : 'internal_error'
}
