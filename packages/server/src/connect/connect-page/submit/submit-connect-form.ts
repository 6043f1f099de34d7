import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type AccountCreator,
  createAccountRecord,
  verifyAccount,
} from '../../../accounts/accounts/create-account.ts'
import {
  assertNotConnected,
  findSameIdentity,
} from '../../../accounts/accounts/find-same-identity.ts'
import { getRequestedBaseUrl } from '../../../platform/http/get-requested-host.ts'
import { redirect } from '../../../platform/http/send-page.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { errorScreen } from '../../../platform/ui/error-screen.ts'
import { sendScreen } from '../../../platform/ui/screen.ts'
import { type Attempt, AttemptEnded } from '../../attempts/attempt.ts'
import { insertAccountThroughLink } from '../../attempts/create-account-through-link.ts'
import { requireLinkTarget } from '../../links/link-policy.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { tooManyFailedScreen } from '../error-pages.ts'
import { refuse, refuseKnown } from '../load/load-session-page.ts'
import { buildPageUrl, type PageContext } from '../page/page-context.ts'
import { submissionScreen } from '../screens/submission-screen.ts'
import { rejectedFormScreen, sendRejectedForm } from './create-rejected-form.ts'
import { type Failure, isServerError, toFailure } from './failure.ts'
import {
  createFormAttempt,
  createSubmissionRecord,
  getVisitor,
  loadForm,
  toAccountInput,
} from './load-form.ts'
import { getScreenCode, recordRefusedPage } from './record-refused-page.ts'
import { storeReconnect, updateFound } from './store-reconnect.ts'
import type { FormRequest, SubmittedForm } from './submitted-form.ts'

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
  if (loaded.submitted === undefined) {
    const form = { ...formRequest, method: 'credentials' } as const
    await recordRefusedPage(deps, request, form, getScreenCode(loaded.screen))
    return sendScreen(reply, loaded.layout, loaded.screen)
  }
  const { submitted } = loaded
  const { page, submissionId } = submitted
  const failure = await checkAndConnect(deps, submitted, request)
  if (typeof failure === 'number')
    return sendScreen(reply, page, tooManyFailedScreen(page, failure))
  if (failure === 'resubmitted')
    return sendScreen(reply, page, await resubmissionScreen(deps, submitted))
  if (failure?.code === 'connect_session_ended') {
    const { layout, screen } = await refuseEnded(deps, page)
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

/** The page of a session that ended while its form was being processed, with the reason. */
async function refuseEnded(deps: ConnectPageDeps, page: PageContext) {
  const { connectSession, link, workspace } = page
  const ended = connectSession && (await deps.visitedSessions.find(connectSession.connectSessionId))
  if (ended === undefined) return refuse(page)
  return refuseKnown(deps, page, ended, { link, workspace }, 'revoked')
}

/**
 * Creates the account. Returns undefined on success, the failure, or the seconds to wait.
 *
 * @throws internal errors
 */
async function checkAndConnect(
  deps: ConnectPageDeps,
  submitted: SubmittedForm,
  request: FastifyRequest,
): Promise<Failure | 'resubmitted' | number | undefined> {
  const { page, step, parsedForm, submissionId } = submitted
  if (Object.keys(parsedForm.errors).length > 0)
    return { code: 'validation_failed', errors: parsedForm.errors }
  const check = deps.failedChecks.admit({
    session: getSessionBucketKey(page),
    ip: request.ip,
    linkId: page.link.linkId,
    workspaceId: page.link.workspaceId,
    definitionId: step.integration.definition.definitionId,
  })
  const visitor = getVisitor(page, request)
  if (typeof check === 'number') {
    await createFormAttempt(deps, submitted, visitor).refuse('rate_limited')
    return check
  }
  const attempt = createFormAttempt(deps, submitted, visitor, check)
  const row = createSubmissionRecord(submitted, deps.now())
  try {
    const isFirst = await deps.database.transaction((trx) => deps.submissions.begin(trx, row))
    if (!isFirst) {
      check.passed()
      return 'resubmitted'
    }
    attempt.begin()
    await check.delay()
    await storeAccount(deps, submitted, visitor, attempt)
    attempt.succeeded()
    return undefined
  } catch (error) {
    if (error instanceof AttemptEnded) {
      const sessionKey = { sessionHash: page.session.hash, pageId: page.pageId }
      // An erasure ends a check by deleting the submission: its customer must not be stored again.
      const isStored = async () =>
        (await deps.submissions.find(sessionKey, submissionId)) !== undefined
      await attempt.cancel(isStored)
      return { code: 'cancelled' }
    }
    const failure = toFailure(error)
    await attempt.fail(error, failure)
    if (isServerError(failure)) throw error
    return failure
  }
}

/**
 * Creates the account of a form, named after the identity that the provider reports, and marks the submission as successful
 * in the same transaction. In a connect session, a user who is connected already is not connected again unless the person has
 * chosen that; the other choice stores the credentials in the existing account.
 *
 * @throws AttemptEnded; AlreadyConnectedError; as `requireLinkTarget`, `verifyAccount` and `insertAccountThroughLink`
 */
async function storeAccount(
  deps: ConnectPageDeps,
  submitted: SubmittedForm,
  visitor: AccountCreator,
  attempt: Attempt,
): Promise<void> {
  const { access, link } = submitted.page
  const input = await toAccountInput(deps, submitted)
  if (submitted.page.account !== undefined)
    return storeReconnect(deps, visitor, submitted, submitted.page.account, attempt)
  const target = await requireLinkTarget(deps, visitor, link, input)
  const options = { pageSessionId: getSessionBucketKey(submitted.page), withIdentity: true }
  await using verified = await verifyAccount(deps, visitor, { ...target, ...options }, input)
  const integrationAccountName = verified.identity?.label ?? input.integrationAccountName
  const { tags = {} } = submitted.page.connectSession ?? {}
  const named = { ...input, integrationAccountName, tags }
  const account = await createAccountRecord(deps, verified, named)
  // The page of a link must not tell anyone what others have connected: an integration can report any identity.
  const choice = visitor.connectSessionId === undefined ? 'add' : submitted.choice
  if (choice === 'update') {
    const existing = await findSameIdentity(deps, deps.database.read, access, account)
    if (existing !== undefined)
      return updateFound(deps, visitor, submitted, existing, verified, attempt)
  }
  const insert = async (trx: Transaction) => {
    if (choice !== 'add') await assertNotConnected(deps, trx, access, account)
    await insertAccountThroughLink(deps, trx, visitor, account, verified)
    await attempt.succeed(trx, account, verified)
  }
  await deps.withLimitLock(link, () => deps.database.transaction(insert, { serializable: true }))
}

/** Identifies the page session in limits and in the bindings of rotated tokens. */
function getSessionBucketKey({ session }: Pick<PageContext, 'session'>): string {
  return Buffer.from(session.hash).toString('base64')
}

/** The screen of a form that was already submitted: its state, or the form again when it failed. */
async function resubmissionScreen(
  deps: ConnectPageDeps,
  { page, step, submissionId, parsedForm }: SubmittedForm,
) {
  const sessionKey = { sessionHash: page.session.hash, pageId: page.pageId }
  const row = await deps.submissions.find(sessionKey, submissionId)
  if (row?.state === 'failed') {
    const failure = {
      code: row.code ?? 'unknown',
      field: row.field ?? undefined,
      hint: row.hint ?? undefined,
    }
    return rejectedFormScreen(page, step, parsedForm, failure)
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
