import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSameOrigin } from '../../http/get-requested-host.ts'
import { isId } from '../../storage/id.ts'
import type { PageLayout, Screen } from '../../ui/screen.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import type { AuthMethod } from '../form/auth-method.ts'
import { type ParsedForm, parseForm } from '../form/parse-form.ts'
import {
  type FormStep,
  getLinkLimitReason,
  listIntegrations,
  resolveStep,
} from '../integrations.ts'
import { loadPage } from '../load/load-page.ts'
import {
  buildFormQuery,
  buildRetryUrl,
  createMinimalLayout,
  frameOrigins,
  isSubmissionId,
  type PageContext,
} from '../page/page-context.ts'
import { linkFullScreen } from '../screens/connected-screen.ts'
import { errorScreen } from '../screens/error-screens.ts'
import { formScreen } from '../screens/form-screen.ts'
import { noLongerOfferedScreen } from '../screens/unavailable-screens.ts'
import {
  getCookieSession,
  getSessionFromForm,
  isHostedPageSession,
  type PageSession,
} from '../session/page-session.ts'

/** A submitted form and its page. */
export interface SubmittedForm {
  readonly page: PageContext
  readonly step: FormStep
  /** The form's ID, which is processed once. */
  readonly submissionId: string
  readonly parsedForm: ParsedForm
}

/** The URL that a form was submitted to. */
export interface FormRequest {
  readonly mode: 'page' | 'frame'
  readonly linkId: string
  readonly searchParams: URLSearchParams
}

/** A form that may be processed, or the screen to show instead. */
export type LoadedForm =
  | { readonly submitted: SubmittedForm }
  | { readonly submitted?: undefined; readonly layout: PageLayout; readonly screen: Screen }

/**
 * Loads a submitted form and its page. The form must be same-origin, belong to the session of this browser, and still be
 * offered by the link. When only the session cookie is missing, which lasts an hour, the form is rendered again in a new
 * session.
 */
export async function loadForm(
  deps: ConnectPageDeps,
  { mode, linkId, searchParams: urlParams }: FormRequest,
  kind: AuthMethod['kind'],
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<LoadedForm> {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const searchParams = buildFormQuery(urlParams, form)
  const session = getFormSession(request, form, deps.baseUrl(), {
    // Sign-in never runs inside a frame, but a frame may start it in another window.
    allowedKinds: kind === 'sign_in' ? ['page', 'frame'] : [mode],
  })
  if (session === undefined) {
    const layout = await createErrorLayout(deps, request, mode, { linkId, searchParams })
    const startUrl = buildRetryUrl(mode, linkId, searchParams)
    return { layout, screen: errorScreen(layout, 'notOurs', { retryUrl: startUrl }) }
  }
  const openSession = () =>
    session === 'expired' ? getCookieSession(request, reply, deps.baseUrl()) : session
  const loaded = await loadPage(deps, request, { mode, linkId, searchParams, openSession })
  if (loaded.page === undefined) return loaded
  const page = kind === 'sign_in' ? withWindow(loaded.page, form) : loaded.page
  const { step, screen } = await resolveForm(deps, page, form, kind)
  if (step === undefined) return { layout: page, screen }
  const parsedForm = parseForm(step.fields, form)
  if (session === 'expired')
    return { layout: page, screen: createSessionExpiredForm(page, step, parsedForm) }
  return { submitted: { page, step, submissionId: form.get('attempt') ?? '', parsedForm } }
}

/** The session of a form; `expired` when only its cookie is missing; undefined for a form that is not ours. */
function getFormSession(
  request: FastifyRequest,
  form: URLSearchParams,
  baseUrl: string,
  { allowedKinds }: { readonly allowedKinds: readonly PageSession['kind'][] },
): PageSession | 'expired' | undefined {
  const sessionValue = form.get('visit')
  if (!isSameOrigin(request, baseUrl) || !isSubmissionId(form.get('attempt') ?? ''))
    return undefined
  const session = getSessionFromForm(request, sessionValue, baseUrl)
  if (session === undefined)
    return allowedKinds.includes('page') && isHostedPageSession(sessionValue)
      ? 'expired'
      : undefined
  return allowedKinds.includes(session.kind) ? session : undefined
}

/** Notes whether the page runs in a popup that was opened for the sign-in. */
function withWindow(page: PageContext, form: URLSearchParams): PageContext {
  const isPopup = form.get('window') === 'popup' || page.session.kind === 'frame'
  return { ...page, window: isPopup ? 'popup' : undefined }
}

/** The layout of a rejected form. In a frame its CSP must list the allowed origins, or the browser would not show it. */
async function createErrorLayout(
  deps: Pick<ConnectPageDeps, 'sharedLinks'>,
  request: FastifyRequest,
  mode: 'page' | 'frame',
  { linkId, searchParams }: { readonly linkId: string; readonly searchParams: URLSearchParams },
): Promise<PageLayout> {
  const layout = createMinimalLayout(request, mode, searchParams)
  if (mode === 'page' || !isId('lnk', linkId)) return layout
  const sharedLink = await deps.sharedLinks.find(linkId)
  if (sharedLink === undefined) return layout
  return {
    ...layout,
    origins: frameOrigins(sharedLink.link, sharedLink.workspace.settings),
  }
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
  const sessionKey = { sessionHash: page.session.hash, linkId: page.link.linkId }
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
  { page: { session, link, query }, step, parsedForm }: SubmittedForm,
) {
  const { name, definitionId } = step.integration.definition
  const sessionKey = { sessionHash: session.hash, linkId: link.linkId }
  const accounts = await deps.submissions.accounts(sessionKey)
  const count = accounts.filter((account) => account.definitionId === definitionId).length
  return {
    integrationDefinitionId: definitionId,
    integrationAccountName: count === 0 ? name : `${name} ${count + 1}`,
    authType: step.authMethod.authType,
    config: parsedForm.config,
    accountIdentifier: query.accountIdentifier ?? null,
  }
}
