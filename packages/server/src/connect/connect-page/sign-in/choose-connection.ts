import type { FastifyReply, FastifyRequest } from 'fastify'
import { getForm } from '../../../platform/http/form-body.ts'
import { getRequestedBaseUrl } from '../../../platform/http/get-requested-host.ts'
import { redirect } from '../../../platform/http/send-page.ts'
import { isId } from '../../../platform/storage/id.ts'
import { sendScreen } from '../../../platform/ui/screen.ts'
import { type ConnectionChoice, completeChoice } from '../../oauth-flow/callback/complete-choice.ts'
import { deriveConfirmToken } from '../../oauth-flow/session/browser-secret.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { loadErrorLayout, loadPage } from '../load/load-page.ts'
import { refuse } from '../load/load-session-page.ts'
import type { PageRequest } from '../load/page-request.ts'
import {
  buildFormQuery,
  buildPageUrl,
  isSubmissionId,
  type PageContext,
} from '../page/page-context.ts'
import { getConfirmSecret, submissionScreen } from '../screens/submission-screen.ts'
import { getConnectCookie } from '../session/connect-cookie.ts'
import { getFormSession } from '../session/page-session.ts'
import { isAwaitingChoice } from '../submission/get-submission.ts'
import { parseChoice } from '../submit/load-form.ts'

/**
 * Handles the choice what to do with the sign-in of a user who is connected already. The form must come from the page itself, in
 * the browser that signed in. It names no account: the service determines that again. A second click shows the result of the first.
 */
export async function chooseConnection(
  deps: ConnectPageDeps,
  { mode, pageId, searchParams: urlParams }: Omit<PageRequest, 'openSession'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = getForm(request)
  const searchParams = buildFormQuery(urlParams, form)
  const session = isId('cns', pageId)
    ? getFormSession(request, form, deps.baseUrl(), {
        allowedKinds: [mode],
        cookie: getConnectCookie(pageId, 0),
      })
    : undefined
  if (session === undefined || session === 'expired') {
    const { layout, screen } = refuse(
      await loadErrorLayout(deps, request, { mode, pageId, searchParams }),
    )
    return sendScreen(reply, layout, screen)
  }
  const openSession = () => session
  const loaded = await loadPage(deps, request, { mode, pageId, searchParams, openSession })
  if (loaded.page === undefined) return sendScreen(reply, loaded.layout, loaded.screen)
  const { page } = loaded
  const submissionId = form.get('attempt') ?? ''
  const choice = parseChoice(form)
  if (isSubmissionId(submissionId) && choice !== undefined)
    await complete(deps, page, submissionId, choice, request)
  if (mode === 'page') {
    const base = getRequestedBaseUrl(request, deps.baseUrl())
    return redirect(reply, `${base}${buildPageUrl(page, { attempt: submissionId })}`)
  }
  const screen = await submissionScreen(deps, page, { submissionId })
  if (screen !== undefined) return sendScreen(reply, page, screen)
  const refused = refuse(page)
  return sendScreen(reply, refused.layout, refused.screen)
}

/** Completes a sign-in of this page session and browser that awaits a choice; otherwise nothing. */
async function complete(
  deps: ConnectPageDeps,
  page: PageContext,
  submissionId: string,
  choice: ConnectionChoice,
  { id: requestId, auditIp: ip }: FastifyRequest,
): Promise<void> {
  const { session, pageId, connectSession } = page
  const sessionKey = { sessionHash: session.hash, pageId }
  const row = await deps.submissions.find(sessionKey, submissionId)
  if (row?.oauthSessionId == null || !isAwaitingChoice(row)) return
  if (connectSession === undefined || connectSession.completedAt !== null) return
  const oauthSession = await deps.oauthSessions.find(row.oauthSessionId)
  if (oauthSession === undefined) return
  const secret = getConfirmSecret(page, oauthSession)
  if (secret === undefined) return
  const { sessionId } = oauthSession
  const confirmToken = deriveConfirmToken(secret, sessionId)
  await completeChoice(deps, sessionId, choice, { requestId, ip, confirmToken })
}
