import type { FastifyReply, FastifyRequest } from 'fastify'
import { setBrowserSecret } from '../../oauth-flow/session/browser-secret.ts'
import { startInBrowser } from '../../oauth-flow/start/start-in-browser.ts'
import type { VisitAttemptRow } from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'
import { redirect } from '../../ui/send-page.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { type ParsedForm, parseForm } from '../form/parse-form.ts'
import type { FormStep } from '../integrations.ts'
import type { PageContext } from '../page/page-context.ts'
import { sendScreen } from '../page/screen.ts'
import { errorScreen, isPageError } from '../screens/error-screens.ts'
import { formScreen } from '../screens/form-screen.ts'
import { submissionScreen } from '../screens/submission-screen.ts'
import { deriveBrowserSecret } from '../session/page-session.ts'
import { newSubmission } from '../submission/new-submission.ts'
import { loadForm, resolveForm } from '../submit/load-form.ts'
import {
  countedFailureCode,
  type Failure,
  isServerError,
  rejectedForm,
  sessionExpiredForm,
  toFailure,
} from '../submit/rejected-form.ts'
import { defaultAccountName } from '../submit/store-account.ts'
import { signInReturnUrl } from './oauth-hooks.ts'

/**
 * Handles the sign-in form in a top-level window and redirects to the provider. If the form is submitted again while the
 * sign-in is running, the window was opened again: a new OAuth session replaces the first one.
 */
export async function submitSignInForm(
  deps: ConnectPageDeps,
  { linkId, searchParams }: { readonly linkId: string; readonly searchParams: URLSearchParams },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const sessionKinds = ['page', 'frame'] as const
  const sender = { request, reply }
  const loaded = await loadForm(deps, sender, { mode: 'page', linkId, searchParams, sessionKinds })
  if (loaded.page === undefined) return sendScreen(reply, loaded.layout, loaded.screen)
  const { form, submissionId } = loaded
  const isPopup = form.get('window') === 'popup' || loaded.page.session.kind === 'frame'
  const page: PageContext = { ...loaded.page, window: isPopup ? 'popup' : undefined }
  const resolved = await resolveForm(deps, page, form, 'sign_in')
  if (resolved.step === undefined) return sendScreen(reply, page, resolved.screen)
  const submitted = {
    page,
    step: resolved.step,
    submissionId,
    parsedForm: parseForm(resolved.step.fields, form),
  }
  if (loaded.isSessionLost)
    return sendScreen(reply, page, sessionExpiredForm(page, submitted.step, submitted.parsedForm))
  try {
    const row = newSubmission(page, submitted.step, submissionId, {
      kind: 'sign_in',
      now: deps.now(),
    })
    const url = await startSignIn(deps, submitted, row, request, reply)
    return redirect(reply, url ?? signInReturnUrl(deps.baseUrl(), row))
  } catch (error) {
    if (!(error instanceof AlreadySubmitted)) return sendRejectedForm(deps, reply, submitted, error)
    const screen = await submissionScreen(deps, page, { submissionId, isResubmission: true })
    return sendScreen(
      reply,
      page,
      screen ?? errorScreen(page, 'notOurs', { workspaceName: page.workspaceName }),
    )
  }
}

interface SubmittedForm {
  readonly page: PageContext
  readonly step: FormStep
  readonly submissionId: string
  readonly parsedForm: ParsedForm
}

/** The form was already submitted and is not waiting for a sign-in. */
class AlreadySubmitted extends Error {}

async function startSignIn(
  deps: ConnectPageDeps,
  { page, step, parsedForm }: SubmittedForm,
  row: VisitAttemptRow,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | undefined> {
  const { link, accessScope, query } = page
  const { definition } = step.integration
  const input = {
    linkId: link.linkId,
    integrationDefinitionId: definition.definition_id,
    integrationAccountName: await defaultAccountName(deps, page, definition),
    authType: step.authMethod.authType,
    config: parsedForm.config,
    accountIdentifier: query.accountIdentifier ?? null,
    confirm: false,
  }
  const browserSecret = setBrowserSecret(
    request,
    reply,
    deps.baseUrl(),
    deriveBrowserSecret(page.session),
  )
  const starter = { ...accessScope, tokenId: null, requestId: request.id }
  const url = await startInBrowser(deps, starter, {
    input,
    browserSecret,
    onInsert: (trx, { attempt_id }) =>
      saveSubmission(deps, trx, { ...row, oauth_attempt_id: attempt_id }),
  })
  deps.counters.attempted(link.linkId)
  return url
}

async function saveSubmission(
  deps: ConnectPageDeps,
  trx: Transaction,
  row: VisitAttemptRow,
): Promise<void> {
  if (await deps.submissions.begin(trx, row)) return
  const previousOAuthId = await deps.submissions.rebind(trx, row)
  if (previousOAuthId === undefined) throw new AlreadySubmitted()
  await deps.oauthSessions.finish(trx, previousOAuthId, 'window_replaced', deps.now())
}

/** No OAuth session was started: renders the form again with the same ID, which is still unused. */
function sendRejectedForm(
  deps: ConnectPageDeps,
  reply: FastifyReply,
  { page, step, submissionId, parsedForm }: SubmittedForm,
  error: unknown,
): FastifyReply {
  const failure: Failure = toFailure(error)
  const { code } = failure
  deps.counters.attempted(page.link.linkId)
  deps.counters.refused(page.link.linkId, countedFailureCode(failure))
  if (isPageError(code))
    return sendScreen(
      reply,
      page,
      errorScreen(page, code, { workspaceName: page.workspaceName, link: page.link }),
    )
  if (isServerError(failure)) throw error
  const feedback = rejectedForm(page, step, parsedForm, failure)
  return sendScreen(reply, page, formScreen(page, { ...step, feedback: feedback, submissionId }))
}
