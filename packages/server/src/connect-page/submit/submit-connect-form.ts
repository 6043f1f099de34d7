import type { FastifyReply, FastifyRequest } from 'fastify'
import { CredentialsRejectedError } from '../../accounts/verification/verify-credentials.ts'
import { ApiError } from '../../errors.ts'
import { requestedBaseUrl } from '../../http/requested-host.ts'
import { redirect } from '../../ui/send-page.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { parseForm } from '../form/parse-form.ts'
import { pageUrl } from '../page/page-context.ts'
import { sendScreen } from '../page/screen.ts'
import { errorScreen, isPageError, tooManyFailedScreen } from '../screens/error-screens.ts'
import { formScreen } from '../screens/form-screen.ts'
import { submissionScreen } from '../screens/submission-screen.ts'
import { endSubmission } from '../submission/end-submission.ts'
import { newSubmission } from '../submission/new-submission.ts'
import { loadForm, resolveForm } from './load-form.ts'
import {
  countedFailureCode,
  type Failure,
  isServerError,
  rejectedForm,
  sessionExpiredForm,
  toFailure,
} from './rejected-form.ts'
import { Cancelled, type SubmittedForm, sessionBucketKey, storeAccount } from './store-account.ts'

/** The URL that a form was submitted to. */
export interface FormRequest {
  readonly mode: 'page' | 'frame'
  readonly linkId: string
  /** The query of the URL. */
  readonly searchParams: URLSearchParams
}

/**
 * Handles the credentials form: verifies the credentials and creates the account. A form is processed once; a resubmission
 * shows the first result.
 */
export async function submitConnectForm(
  deps: ConnectPageDeps,
  { mode, linkId, searchParams }: FormRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const sender = { request, reply }
  const loaded = await loadForm(deps, sender, { mode, linkId, searchParams, sessionKinds: [mode] })
  if (loaded.page === undefined) return sendScreen(reply, loaded.layout, loaded.screen)
  const { page, form, submissionId } = loaded
  const resolved = await resolveForm(deps, page, form, 'credentials')
  if (resolved.step === undefined) return sendScreen(reply, page, resolved.screen)
  const { step } = resolved
  const submitted = {
    page,
    step,
    submissionId,
    parsedForm: parseForm(step.fields, form),
  }
  if (loaded.isSessionLost)
    return sendScreen(reply, page, sessionExpiredForm(page, step, submitted.parsedForm))
  const failure = await checkAndConnect(deps, submitted, request)
  if (typeof failure === 'number')
    return sendScreen(reply, page, tooManyFailedScreen(page, failure))
  if (failure === 'resubmitted') return sendScreen(reply, page, await resubmitted(deps, submitted))
  if (failure !== undefined) return sendRejectedForm(reply, submitted, failure)
  // A frame has no cookie, so the page after a redirect would not find the session.
  if (mode === 'page') {
    const base = requestedBaseUrl(request, deps.baseUrl())
    return redirect(reply, `${base}${pageUrl(page, { attempt: submissionId })}`)
  }
  const screen = await submissionScreen(deps, page, { submissionId })
  return sendScreen(reply, page, screen ?? errorScreen(page, 'busy'))
}

/**
 * Creates the account. Returns undefined on success, the failure, or the seconds to wait.
 *
 * @throws internal errors
 */
async function checkAndConnect(
  deps: ConnectPageDeps,
  submitted: SubmittedForm,
  { id: requestId, ip }: FastifyRequest,
): Promise<Failure | 'resubmitted' | number | undefined> {
  const { page, step, submissionId, parsedForm } = submitted
  if (Object.keys(parsedForm.errors).length > 0)
    return { code: 'validation_failed', errors: parsedForm.errors }
  const { linkId } = page.link
  const check = deps.failedChecks.admit({
    session: sessionBucketKey(page),
    ip,
    linkId,
    workspaceId: page.link.workspaceId,
    definitionId: step.integration.definition.definition_id,
  })
  if (typeof check === 'number') return check
  const now = deps.now()
  const row = newSubmission(page, step, submissionId, { kind: 'credentials', now })
  let isRejected = false
  try {
    const isFirst = await deps.database.transaction((trx) => deps.submissions.begin(trx, row))
    if (!isFirst) return 'resubmitted'
    deps.counters.attempted(linkId)
    await check.delay()
    await storeAccount(deps, submitted, requestId)
    deps.counters.succeeded(linkId)
    return undefined
  } catch (error) {
    isRejected = isCredentialRejection(error)
    if (error instanceof Cancelled) return { code: 'cancelled' }
    const failure = toFailure(error)
    deps.counters.refused(linkId, countedFailureCode(failure))
    await deps.database.transaction((trx) =>
      endSubmission(deps.submissions, trx, { attemptId: submissionId }, failure, deps.now()),
    )
    if (isServerError(failure)) throw error
    return failure
  } finally {
    if (isRejected) check.failed()
    else check.passed()
  }
}

/** Whether credentials were rejected, by a check result or by an integration that throws. */
function isCredentialRejection(error: unknown): boolean {
  if (error instanceof CredentialsRejectedError) return true
  return error instanceof ApiError && error.code === 'integration_failed'
}

/** The screen of a form that was already submitted: its state, or the form again when it failed. */
async function resubmitted(
  deps: ConnectPageDeps,
  { page, step, submissionId, parsedForm }: SubmittedForm,
) {
  const sessionKey = { sessionHash: page.session.hash, linkId: page.link.linkId }
  const row = await deps.submissions.find(sessionKey, submissionId)
  if (row?.state === 'failed') {
    const failure = {
      code: row.code ?? 'unknown',
      field: row.field ?? undefined,
      hint: row.hint ?? undefined,
    }
    return formScreen(page, { ...step, feedback: rejectedForm(page, step, parsedForm, failure) })
  }
  const screen = await submissionScreen(deps, page, { submissionId, isResubmission: true })
  return (
    screen ??
    errorScreen(page, 'notOurs', { workspaceName: page.workspaceName, retryUrl: pageUrl(page) })
  )
}

function sendRejectedForm(
  reply: FastifyReply,
  { page, step, parsedForm }: SubmittedForm,
  failure: Failure,
): FastifyReply {
  const { code } = failure
  if (isPageError(code))
    return sendScreen(
      reply,
      page,
      errorScreen(page, code, { workspaceName: page.workspaceName, link: page.link }),
    )
  const feedback = rejectedForm(page, step, parsedForm, failure)
  return sendScreen(reply, page, formScreen(page, { ...step, feedback }))
}
