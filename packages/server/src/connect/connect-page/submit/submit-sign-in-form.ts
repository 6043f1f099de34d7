import type { FastifyReply, FastifyRequest } from 'fastify'
import { getRequestedBaseUrl } from '../../../platform/http/browser-request.ts'
import { redirect } from '../../../platform/http/send-page.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { errorScreen } from '../../../platform/ui/error-screen.ts'
import { sendScreen } from '../../../platform/ui/screen.ts'
import type { NewSubmission } from '../../attempts/submission.ts'
import { type ConnectionChoice, completeChoice } from '../../oauth-flow/callback/complete-choice.ts'
import { deriveConfirmToken, setBrowserSecret } from '../../oauth-flow/session/oauth-session.ts'
import { buildPageReturnUrl } from '../../oauth-flow/session/redirect-url.ts'
import { startInBrowser } from '../../oauth-flow/start/start-in-browser.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { isAwaitingChoice } from '../get-submission.ts'
import type { SubmittedForm } from '../integration-offer.ts'
import { loadFormPage, type PageRequest, refuse, sendRefusal } from '../load/load-page.ts'
import {
  buildPageUrl,
  createPageActor,
  isSubmissionId,
  type PageContext,
} from '../page/page-context.ts'
import { deriveBrowserSecret } from '../page/page-session.ts'
import { getConfirmSecret, submissionScreen } from '../screens/submission-screen.ts'
import {
  getScreenCode,
  isServerError,
  recordRefusedPage,
  sendRejectedForm,
  toFailure,
} from './rejected-form.ts'
import {
  createFormAttempt,
  createSubmissionRecord,
  getVisitor,
  loadForm,
  parseChoice,
  toAccountInput,
} from './submit-connect-form.ts'

/**
 * Handles the sign-in form in a top-level window and redirects to the provider. If the form is submitted again while the
 * sign-in is running, the window was opened again: a new OAuth session replaces the first one.
 */
export async function submitSignInForm(
  deps: ConnectPageDeps,
  { pageId, searchParams }: { readonly pageId: string; readonly searchParams: URLSearchParams },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const formRequest = { mode: 'page', pageId, searchParams } as const
  const loaded = await loadForm(deps, formRequest, 'sign_in', { request, reply })
  if (loaded.submitted === undefined) {
    const form = { ...formRequest, method: 'sign_in' } as const
    await recordRefusedPage(deps, request, form, getScreenCode(loaded.screen))
    return sendRefusal(reply, loaded)
  }
  const { submitted } = loaded
  const { page, submissionId } = submitted
  const attempt = createFormAttempt(deps, submitted, getVisitor(page, request))
  try {
    const row = createSubmissionRecord(submitted, deps.now())
    const url = await startSignIn(deps, submitted, row, request, reply)
    attempt.begin()
    return redirect(reply, url ?? buildPageReturnUrl(deps.baseUrl(), row))
  } catch (error) {
    if (!(error instanceof AlreadySubmitted)) {
      const failure = toFailure(error)
      attempt.begin()
      await attempt.refuse(failure.code)
      if (isServerError(failure)) throw error
      // No OAuth session was started, so the ID of the form is still unused.
      return sendRejectedForm(reply, submitted, failure, submissionId)
    }
    const screen = await submissionScreen(deps, page, { submissionId, isResubmission: true })
    return sendScreen(
      reply,
      page,
      screen ?? errorScreen(page, 'notOurs', { workspaceName: page.workspaceName }),
    )
  }
}

/** The form was already submitted and is not waiting for a sign-in. */
class AlreadySubmitted extends Error {}

async function startSignIn(
  deps: ConnectPageDeps,
  submitted: SubmittedForm,
  row: NewSubmission,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | undefined> {
  const { link, access, connectSession, session, account } = submitted.page
  const { integrationAccountName, accountIdentifier, ...target } = await toAccountInput(
    deps,
    submitted,
  )
  const isReturned = connectSession?.redirectUrl != null
  // If the identity is known, no one else can sign in to reconnect the account.
  const confirm = isReturned && (account === undefined || account.identityId === null)
  const named =
    account === undefined
      ? { integrationAccountName, accountIdentifier }
      : { integrationAccountId: account.accountId }
  const input = { ...target, ...named, linkId: link.linkId, confirm }
  const browserSecret = setBrowserSecret(
    request,
    reply,
    deps.baseUrl(),
    deriveBrowserSecret(submitted.page.session),
  )
  return startInBrowser(deps, createPageActor(access, request), {
    input,
    browserSecret,
    connectSession,
    confirmSecret: session.kind === 'frame' ? deriveBrowserSecret(session) : undefined,
    onInsert: (trx, { sessionId }) =>
      saveSubmission(deps, trx, { ...row, oauthSessionId: sessionId }),
  })
}

async function saveSubmission(
  deps: ConnectPageDeps,
  trx: Transaction,
  row: NewSubmission,
): Promise<void> {
  if (await deps.submissions.begin(trx, row)) return
  const previousOAuthId = await deps.submissions.rebind(trx, row)
  if (previousOAuthId === undefined) throw new AlreadySubmitted()
  await deps.oauthSessions.end(trx, previousOAuthId, { code: 'window_replaced' }, deps.now())
}

/**
 * Handles the choice what to do with the sign-in of a user who is connected already. The form must come from the page itself, in
 * the browser that signed in. It names no account: the service determines that again. A second click shows the result of the first.
 */
export async function chooseConnection(
  deps: ConnectPageDeps,
  pageRequest: Omit<PageRequest, 'openSession'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const loaded = await loadFormPage(deps, request, pageRequest)
  if (loaded.page === undefined) return sendRefusal(reply, loaded)
  const { page, form } = loaded
  const submissionId = form.get('attempt') ?? ''
  const choice = parseChoice(form)
  if (isSubmissionId(submissionId) && choice !== undefined)
    await complete(deps, page, submissionId, choice, request)
  if (pageRequest.mode === 'page') {
    const base = getRequestedBaseUrl(request, deps.baseUrl())
    return redirect(reply, `${base}${buildPageUrl(page, { attempt: submissionId })}`)
  }
  const screen = await submissionScreen(deps, page, { submissionId })
  if (screen !== undefined) return sendScreen(reply, page, screen)
  return sendRefusal(reply, refuse(page))
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
