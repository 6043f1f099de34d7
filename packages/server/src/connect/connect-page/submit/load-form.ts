import type { FastifyReply, FastifyRequest } from 'fastify'
import { getForm } from '../../../platform/http/form-body.ts'
import { addLogFields } from '../../../platform/http/log.ts'
import type { Actor } from '../../../platform/record/change.ts'
import { isId } from '../../../platform/storage/id.ts'
import { errorScreen } from '../../../platform/ui/error-screen.ts'
import type { Screen } from '../../../platform/ui/screen.ts'
import { type Attempt, createAttempt } from '../../attempts/attempt.ts'
import type { NewSubmission } from '../../links/submissions/submission.ts'
import type { ConnectionChoice } from '../../oauth-flow/callback/complete-choice.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import type { AuthMethod } from '../form/auth-method.ts'
import { getControlName, type ParsedForm, parseForm } from '../form/parse-form.ts'
import type { FormStep } from '../integration-offer.ts'
import { getLinkLimitReason, listIntegrations, resolveStep } from '../integrations.ts'
import type { AdmittedCheck } from '../limits/failed-check-limiter.ts'
import { loadErrorLayout, loadPage } from '../load/load-page.ts'
import { refuse } from '../load/load-session-page.ts'
import { buildRetryUrl } from '../page/build-retry-url.ts'
import {
  buildFormQuery,
  isSubmissionId,
  type PageContext,
  serializePageQuery,
} from '../page/page-context.ts'
import { linkFullScreen } from '../screens/connected-screen.ts'
import { formScreen } from '../screens/form-screen.ts'
import { submissionScreen } from '../screens/submission-screen.ts'
import { noLongerOfferedScreen } from '../screens/unavailable-screens.ts'
import { getConnectCookie } from '../session/connect-cookie.ts'
import { getCookieSession, getFormSession } from '../session/page-session.ts'
import type { FormRequest, LoadedForm, SubmittedForm } from './submitted-form.ts'

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
  if (Object.keys(page.given).some((name) => form.has(getControlName({ name }))))
    return refuse(page)
  const parsedForm = parseForm(step.fields, form)
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
    requestId: request.id,
    ip: request.auditIp,
    connectSessionId: connectSession?.connectSessionId,
    addLogFields: (fields: Readonly<Record<string, string>>) => addLogFields(request, fields),
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
