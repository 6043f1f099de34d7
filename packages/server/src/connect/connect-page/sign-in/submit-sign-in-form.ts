import type { FastifyReply, FastifyRequest } from 'fastify'
import { redirect } from '../../../platform/http/send-page.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { errorScreen } from '../../../platform/ui/error-screen.ts'
import { sendScreen } from '../../../platform/ui/screen.ts'
import type { NewSubmission } from '../../links/submissions/submission.ts'
import { setBrowserSecret } from '../../oauth-flow/session/browser-secret.ts'
import { buildPageReturnUrl } from '../../oauth-flow/session/redirect-url.ts'
import { startInBrowser } from '../../oauth-flow/start/start-in-browser.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { submissionScreen } from '../screens/submission-screen.ts'
import { deriveBrowserSecret } from '../session/page-session.ts'
import { sendRejectedForm } from '../submit/create-rejected-form.ts'
import { isServerError, toFailure } from '../submit/failure.ts'
import {
  createFormAttempt,
  createSubmissionRecord,
  getVisitor,
  loadForm,
  toAccountInput,
} from '../submit/load-form.ts'
import { getScreenCode, recordRefusedPage } from '../submit/record-refused-page.ts'
import type { SubmittedForm } from '../submit/submitted-form.ts'

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
    return sendScreen(reply, loaded.layout, loaded.screen)
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
  const { id: requestId, auditIp: ip } = request
  const starter = { ...access, tokenId: null, requestId, ip }
  return startInBrowser(deps, starter, {
    input,
    browserSecret,
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
