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
import { getForm, getRequestedBaseUrl } from '../../../platform/http/browser-request.ts'
import { describeRequest } from '../../../platform/http/log.ts'
import { redirect } from '../../../platform/http/send-page.ts'
import type { Actor } from '../../../platform/record/change.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { isId } from '../../../platform/storage/id.ts'
import { errorScreen } from '../../../platform/ui/error-screen.ts'
import { type Screen, sendScreen } from '../../../platform/ui/screen.ts'
import { type Attempt, AttemptEnded, createAttempt } from '../../attempts/attempt.ts'
import { storeThroughLink } from '../../attempts/create-account-through-link.ts'
import type { NewSubmission } from '../../attempts/submission.ts'
import { requireLinkTarget } from '../../links/link-policy.ts'
import type { ConnectionChoice } from '../../oauth-flow/callback/complete-choice.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { tooManyFailedScreen } from '../error-pages.ts'
import type { AdmittedCheck } from '../failed-check-limiter.ts'
import type { AuthMethod } from '../form/auth-method.ts'
import { getControlName, type ParsedForm, parseForm, withAnswers } from '../form/parse-form.ts'
import type { FormRequest, FormStep, LoadedForm, SubmittedForm } from '../integration-offer.ts'
import { getLinkLimitReason, listIntegrations, resolveStep } from '../integrations.ts'
import { loadErrorLayout, loadPage, refuse, refuseKnown, sendRefusal } from '../load/load-page.ts'
import {
  buildFormQuery,
  buildPageUrl,
  buildRetryUrl,
  isSubmissionId,
  type PageContext,
  serializePageQuery,
} from '../page/page-context.ts'
import { getConnectCookie, getCookieSession, getFormSession } from '../page/page-session.ts'
import { linkFullScreen } from '../screens/connected-screen.ts'
import { formScreen } from '../screens/form-screen.ts'
import { noLongerOfferedScreen } from '../screens/picker-screen.ts'
import { submissionScreen } from '../screens/submission-screen.ts'
import {
  type Failure,
  getScreenCode,
  isServerError,
  recordRefusedPage,
  rejectedFormScreen,
  sendRejectedForm,
  toFailure,
} from './rejected-form.ts'
import { storeReconnect, updateFound } from './store-reconnect.ts'

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
    return sendRefusal(reply, loaded)
  }
  const { submitted } = loaded
  const { page, submissionId } = submitted
  const failure = await checkAndConnect(deps, submitted, request)
  if (typeof failure === 'number')
    return sendScreen(reply, page, tooManyFailedScreen(page, failure))
  if (failure === 'resubmitted')
    return sendScreen(reply, page, await resubmissionScreen(deps, submitted))
  if (failure?.code === 'connect_session_ended')
    return sendRefusal(reply, await refuseEnded(deps, page))
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
 * @throws AttemptEnded; AlreadyConnectedError; as `requireLinkTarget`, `verifyAccount` and `storeThroughLink`
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
  const options = { pageSessionId: getSessionBucketKey(submitted.page), withIdentity: true }
  const target = await requireLinkTarget(deps, visitor, link, input)
  await using verified = await verifyAccount(deps, visitor, { ...target, ...options }, input)
  const integrationAccountName = verified.identity.label ?? input.integrationAccountName
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
  await storeThroughLink(deps, visitor, link, {
    account,
    verified,
    attempt,
    assertStorable:
      choice === 'add'
        ? undefined
        : (trx: Transaction) => assertNotConnected(deps, trx, access, account),
  })
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

/**
 * Loads a submitted form and its page. The form must be same-origin, belong to the session of this browser, and still be
 * offered by the link. When only the session cookie is missing, which lasts an hour, the form is rendered again in a new
 * session.
 */
export async function loadForm(
  deps: ConnectPageDeps,
  { mode, pageId, searchParams: urlParams }: FormRequest,
  kind: AuthMethod['kind'],
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<LoadedForm> {
  const form = getForm(request)
  const searchParams = buildFormQuery(urlParams, form)
  const submissionId = form.get('attempt') ?? ''
  const session = getFormSession(request, form, deps.baseUrl(), {
    // Sign-in never runs inside a frame, but a frame may start it in another window.
    allowedKinds: kind === 'sign_in' ? ['page', 'frame'] : [mode],
    ...(isId('cns', pageId) ? { cookie: getConnectCookie(pageId, 0) } : {}),
  })
  if (session === undefined || !isSubmissionId(submissionId)) {
    const layout = await loadErrorLayout(deps, request, { mode, pageId, searchParams })
    if (isId('cns', pageId)) return refuse(layout)
    const startUrl = buildRetryUrl(mode, pageId, searchParams)
    return { layout, screen: errorScreen(layout, 'notOurs', { retryUrl: startUrl }) }
  }
  const openSession = () => {
    if (session !== 'expired') return session
    return isId('cns', pageId) ? undefined : getCookieSession(request, reply, deps.baseUrl())
  }
  const loaded = await loadPage(deps, request, { mode, pageId, searchParams, openSession })
  if (loaded.page === undefined) return loaded
  const page = kind === 'sign_in' ? withWindow(loaded.page, form) : loaded.page
  if (page.connectSession?.completedAt != null) return loadResult(deps, page, submissionId)
  const { step, screen } = await resolveForm(deps, page, form, kind)
  if (step === undefined) return { layout: page, screen }
  const factNames = step.authMethod.facts.map(({ name }) => name)
  const locked = Object.keys(page.given).filter((name) => !factNames.includes(name))
  if (locked.some((name) => form.has(getControlName({ name })))) return refuse(page)
  const parsedForm = withAnswers(parseForm(step.fields, form), factNames, form, page.given)
  if (session === 'expired')
    return { layout: page, screen: createSessionExpiredForm(page, step, parsedForm) }
  return { submitted: { page, step, submissionId, parsedForm, choice: parseChoice(form) } }
}

/** The choice of a form; undefined in one that does not ask. */
export function parseChoice(form: URLSearchParams): ConnectionChoice | undefined {
  return (['update', 'add'] as const).find((choice) => choice === form.get('choice'))
}

/** A form of a completed connect session: its result if it was the one that was sent, as a second click does. */
async function loadResult(
  deps: ConnectPageDeps,
  page: PageContext,
  submissionId: string,
): Promise<LoadedForm> {
  const screen = await submissionScreen(deps, page, { submissionId, isResubmission: true })
  return screen === undefined ? refuse(page) : { layout: page, screen }
}

/** Notes whether the page runs in a popup that was opened for the sign-in. */
function withWindow(page: PageContext, form: URLSearchParams): PageContext {
  const isPopup = form.get('window') === 'popup' || page.session.kind === 'frame'
  return { ...page, window: isPopup ? 'popup' : undefined }
}

/** Resolves the submitted form as the link offers it now, or the screen that explains why it is not offered. */
async function resolveForm(
  deps: ConnectPageDeps,
  page: PageContext,
  form: URLSearchParams,
  kind: AuthMethod['kind'],
): Promise<
  | { readonly step: FormStep; readonly screen?: undefined }
  | { readonly step?: undefined; readonly screen: Screen }
> {
  const offered = await listIntegrations(deps, page)
  const step = resolveStep(page, offered.integrations)
  const { integration, auth } = page.query
  const isRequestedForm =
    step.type === 'form' &&
    step.authMethod.kind === kind &&
    step.authMethod.authType === auth &&
    step.integration.definition.key === integration
  if (isRequestedForm) return { step }
  const limitReason = await getLinkLimitReason(deps, page)
  const sessionKey = { sessionHash: page.session.hash, pageId: page.pageId }
  if (limitReason !== undefined)
    return {
      screen: linkFullScreen(page, limitReason, await deps.submissions.accounts(sessionKey)),
    }
  const option = offered.integrations.find(({ definition }) => definition.key === integration)
  return { screen: noLongerOfferedScreen(page, option, form.get('tool') ?? integration ?? '') }
}

/** Renders the form of an expired session in a new one, with the entered values except secrets. Nothing was processed. */
function createSessionExpiredForm(
  page: PageContext,
  step: FormStep,
  { entered, hasSecret }: ParsedForm,
): Screen {
  const { sessionLost: summary } = page.messages.form
  const feedback = {
    status: 403,
    entered,
    fieldErrors: new Map(),
    summary,
    hint: undefined,
    code: 'visit_lost',
    mustReenterSecret: hasSecret,
  }
  return formScreen(page, { ...step, feedback })
}

/**
 * The account that a form describes. It is named after the integration and numbered within the session. Other sessions don't
 * count, because the number would reveal their accounts.
 */
export async function toAccountInput(
  deps: Pick<ConnectPageDeps, 'submissions'>,
  { page: { session, pageId, query }, step, parsedForm }: SubmittedForm,
) {
  const { name, definitionId } = step.integration.definition
  const sessionKey = { sessionHash: session.hash, pageId }
  const accounts = await deps.submissions.accounts(sessionKey)
  const count = accounts.filter((account) => account.definitionId === definitionId).length
  return {
    integrationDefinitionId: definitionId,
    integrationAccountName: count === 0 ? name : `${name} ${count + 1}`,
    authType: step.authMethod.authType,
    config: { ...parsedForm.config, ...step.givenConfig },
    accountIdentifier: query.accountIdentifier ?? null,
  }
}

/** Whom events and the audit trail name as the sender of a form. */
export function getVisitor({ access, connectSession }: PageContext, request: FastifyRequest) {
  return {
    ...access,
    tokenId: null,
    ...describeRequest(request),
    connectSessionId: connectSession?.connectSessionId,
  }
}

/** The attempt of a form. `check`: as the limiter has admitted it. */
export function createFormAttempt(
  deps: ConnectPageDeps,
  { page, step, submissionId, parsedForm }: SubmittedForm,
  actor: Actor,
  check?: AdmittedCheck,
): Attempt {
  const { link, account, connectSession, query, session } = page
  return createAttempt(deps, {
    actor,
    method: step.authMethod.kind,
    tool: step.integration.definition,
    workspaceId: link.workspaceId,
    linkId: link.linkId,
    connectSessionId: connectSession?.connectSessionId ?? null,
    authType: step.authMethod.authType,
    accountId: account?.accountId ?? null,
    accountIdentifier: account?.accountIdentifier ?? query.accountIdentifier ?? null,
    person: {
      key: session.hash,
      values: parsedForm.config,
      check,
      end: (trx, outcome, now) => deps.submissions.end(trx, { submissionId }, outcome, now),
    },
  })
}

/** The submission of a form. A sign-in gets its OAuth session when it starts. */
export function createSubmissionRecord(
  { page, step, submissionId }: SubmittedForm,
  now: number,
): NewSubmission {
  const { session, link, query, window } = page
  return {
    submissionId,
    sessionHash: session.hash,
    linkId: link.linkId,
    connectSessionId: page.connectSession?.connectSessionId ?? null,
    workspaceId: link.workspaceId,
    definitionId: step.integration.definition.definitionId,
    authType: step.authMethod.authType,
    kind: step.authMethod.kind,
    oauthSessionId: null,
    // A sign-in cannot return to an embedded page, so it ends in its own window.
    window: window ?? session.kind,
    returnQuery: serializePageQuery(query),
    createdAt: now,
    expiresAt: now + VISIBLE_MS,
  }
}

/** How long a submission is visible to its session. */
const VISIBLE_MS = 60 * 60_000
