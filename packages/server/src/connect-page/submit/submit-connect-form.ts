import type { FastifyReply, FastifyRequest } from 'fastify'
import { CredentialsRejectedError } from '../../accounts/verification/run-check.ts'
import { settleConnectSession } from '../../connect-sessions/settle-connect-session.ts'
import { getRequestedBaseUrl } from '../../http/get-requested-host.ts'
import { redirect } from '../../http/send-page.ts'
import { recordFailedAttempt } from '../../links/connect-failure-store.ts'
import { errorScreen } from '../../ui/error-screen.ts'
import { sendScreen } from '../../ui/screen.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { tooManyFailedScreen } from '../error-pages.ts'
import { refuse } from '../load/load-session-page.ts'
import { buildPageUrl } from '../page/page-context.ts'
import { formScreen } from '../screens/form-screen.ts'
import { submissionScreen } from '../screens/submission-screen.ts'
import { createRejectedForm, sendRejectedForm } from './create-rejected-form.ts'
import { type Failure, isServerError, toFailure, toMetricsCode } from './failure.ts'
import {
  createSubmissionRecord,
  type FormRequest,
  loadForm,
  type SubmittedForm,
} from './load-form.ts'
import { Cancelled, getSessionBucketKey, storeAccount } from './store-account.ts'

/**
 * Handles the credentials form: verifies the credentials and creates the account. A form is processed once; a resubmission
 * shows the first result.
 */
export async function submitConnectForm(
  deps: ConnectPageDeps,
  formRequest: FormRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const loaded = await loadForm(deps, formRequest, 'credentials', { request, reply })
  if (loaded.submitted === undefined) return sendScreen(reply, loaded.layout, loaded.screen)
  const { submitted } = loaded
  const { page, submissionId } = submitted
  const failure = await checkAndConnect(deps, submitted, request)
  if (typeof failure === 'number')
    return sendScreen(reply, page, tooManyFailedScreen(page, failure))
  if (failure === 'resubmitted')
    return sendScreen(reply, page, await resubmissionScreen(deps, submitted))
  if (failure?.code === 'connect_session_ended') {
    const { layout, screen } = refuse(page)
    return sendScreen(reply, layout, screen)
  }
  if (failure !== undefined) return sendRejectedForm(reply, submitted, failure)
  // A frame has no cookie, so the page after a redirect would not find the session.
  if (page.mode === 'page') {
    const base = getRequestedBaseUrl(request, deps.baseUrl())
    return redirect(reply, `${base}${buildPageUrl(page, { attempt: submissionId })}`)
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
  { id: requestId, ip, auditIp }: FastifyRequest,
): Promise<Failure | 'resubmitted' | number | undefined> {
  const { page, step, parsedForm } = submitted
  if (Object.keys(parsedForm.errors).length > 0)
    return { code: 'validation_failed', errors: parsedForm.errors }
  const { linkId } = page.link
  const check = deps.failedChecks.admit({
    session: getSessionBucketKey(page),
    ip,
    linkId,
    workspaceId: page.link.workspaceId,
    definitionId: step.integration.definition.definitionId,
  })
  if (typeof check === 'number') return check
  const row = createSubmissionRecord(submitted, deps.now())
  let verdict: Verdict = 'passed'
  try {
    const isFirst = await deps.database.transaction((trx) => deps.submissions.begin(trx, row))
    if (!isFirst) return 'resubmitted'
    deps.counters.attempted(linkId)
    await check.delay()
    await storeAccount(deps, submitted, { requestId, ip: auditIp })
    deps.counters.succeeded(linkId)
    return undefined
  } catch (error) {
    if (error instanceof Cancelled) return { code: 'cancelled' }
    const failure = toFailure(error)
    verdict = toVerdict(error, failure)
    deps.counters.refused(linkId, toMetricsCode(failure))
    await endFailedSubmission(deps, submitted, failure, requestId)
    if (isServerError(failure)) throw error
    return failure
  } finally {
    if (verdict !== 'none') check[verdict]()
  }
}

async function endFailedSubmission(
  deps: ConnectPageDeps,
  { page, step, submissionId, parsedForm }: SubmittedForm,
  failure: Failure,
  requestId: string,
): Promise<void> {
  const { session, link, query, access } = page
  const now = deps.now()
  const { code, field } = failure
  await deps.database.transaction(async (trx) => {
    const ended = await deps.submissions.end(trx, { submissionId }, failure, now)
    if (ended === undefined) return
    const actor = { userId: access.userId, tokenId: null, requestId }
    await settleConnectSession(deps, trx, actor, ended, failure, now)
    await recordFailedAttempt(trx, actor, now, {
      workspaceId: link.workspaceId,
      definitionId: step.integration.definition.definitionId,
      linkId: link.linkId,
      accountId: null,
      accountIdentifier: query.accountIdentifier ?? null,
      code,
      // The integration names the field: only names of the form are published.
      field: field !== undefined && Object.hasOwn(parsedForm.config, field) ? field : null,
      person: session.hash,
    })
  })
}

/** How a check counts. `none`: the provider may have received the credentials, but gave no verdict. */
type Verdict = 'failed' | 'passed' | 'none'

function toVerdict(error: unknown, { code }: Failure): Verdict {
  // An integration that throws rejects the credentials, too.
  if (error instanceof CredentialsRejectedError || code === 'integration_failed') return 'failed'
  return CODES_WITHOUT_VERDICT.has(code) ? 'none' : 'passed'
}

const CODES_WITHOUT_VERDICT: ReadonlySet<string> = new Set([
  ...['provider_error', 'provider_timeout'],
  ...['integration_timeout', 'integration_limit', 'integration_bad_output'],
])

/** The screen of a form that was already submitted: its state, or the form again when it failed. */
async function resubmissionScreen(
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
    return formScreen(page, {
      ...step,
      feedback: createRejectedForm(page, step, parsedForm, failure),
    })
  }
  const screen = await submissionScreen(deps, page, { submissionId, isResubmission: true })
  return (
    screen ??
    errorScreen(page, 'notOurs', {
      workspaceName: page.workspaceName,
      retryUrl: buildPageUrl(page),
    })
  )
}
