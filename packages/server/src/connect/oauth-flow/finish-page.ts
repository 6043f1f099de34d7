import type { FastifyReply, FastifyRequest } from 'fastify'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { StoredSettings } from '../../access/workspaces/workspace.ts'
import { getIntegrationIcon } from '../../integrations/catalogue/integration-icon.ts'
import type { DefinitionSummary } from '../../integrations/definitions/definition.ts'
import { redirect } from '../../platform/http/send-page.ts'
import { getFailureMessage, getWorkspaceDisplayName } from '../../platform/i18n/language.ts'
import type { MessageParams } from '../../platform/i18n/localized-text.ts'
import type { Messages } from '../../platform/i18n/messages.ts'
import { errorScreen, type PageError } from '../../platform/ui/error-screen.ts'
import { actions, button } from '../../platform/ui/field.ts'
import { notice, stateHeader, tile, toolTile } from '../../platform/ui/header.ts'
import { html } from '../../platform/ui/html.ts'
import {
  createPageLayout,
  type Screen,
  sendScreen,
  statusScreen,
} from '../../platform/ui/screen.ts'
import { answerQuestions, findQuestions, questionsScreen } from './callback/fact-questions.ts'
import { ASKING } from './callback/finish-sign-in.ts'
import type { OAuthFlowDeps } from './oauth-flow-deps.ts'
import { getDisplayCode, getSessionOutcome, type SessionOutcome } from './session/end-session.ts'
import {
  isSameBrowser,
  type OAuthSession,
  type OAuthSessionId,
  readBrowserSecret,
} from './session/oauth-session.ts'
import {
  buildPageReturnUrl,
  buildReturnUrl,
  getAllowedRedirectUrl,
} from './session/redirect-url.ts'
import { getWorkspaceAccess } from './session/session-context.ts'

/** The URL of the page that shows the session's browser how the session ended, or redirects it to `redirectURL`. */
export function finishPageUrl(baseUrl: string, { sessionId }: OAuthSession): string {
  return `${baseUrl}/oauth/finished/${sessionId}`
}

/** Shows the session's browser how the session ended; 404 for other browsers. */
export async function showFinishPage(
  deps: OAuthFlowDeps,
  sessionId: OAuthSessionId,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = await deps.oauthSessions.find(sessionId)
  const secret = readBrowserSecret(request, deps.baseUrl())
  if (session === undefined || secret === undefined || !isSameBrowser(secret, session.browserHash))
    return sendErrorPage(request, reply, 404, 'finished')
  return sendFinishPage(deps, session, secret, { request, reply, isReplay: false })
}

/** Handles the answers of the session's browser; 404 for other browsers. */
export async function submitAnswers(
  deps: OAuthFlowDeps,
  sessionId: OAuthSessionId,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const answered = await answerQuestions(deps, sessionId, request)
  if (answered === undefined) return sendErrorPage(request, reply, 404, 'finished')
  const { session, outcome } = answered
  return outcome === ASKING
    ? redirect(reply, finishPageUrl(deps.baseUrl(), session))
    : redirectAfterOAuth(deps, session, outcome, reply)
}

interface FinishRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** The browser repeated its callback. The user then has to click a button; a replay never redirects by itself. */
  readonly isReplay: boolean
}

/** Sends the finish page of a session, whose browser has been verified by the caller. */
export async function sendFinishPage(
  deps: OAuthFlowDeps,
  session: OAuthSession,
  browserSecret: string,
  { request, reply, isReplay }: FinishRequest,
): Promise<FastifyReply> {
  const questions = await findQuestions(deps, session)
  const outcome =
    questions === undefined ? await getSessionOutcome(deps, session, browserSecret) : 'running'
  const names = await getSessionNames(deps, session)
  if (outcome === undefined || names === undefined)
    return sendErrorPage(request, reply, isReplay ? 400 : 404, 'notKnown')
  const layout = { ...createPageLayout(request), branding: names.settings.theme }
  const { messages } = layout
  const pageUrl = finishPageUrl(deps.baseUrl(), session)
  if (questions !== undefined) {
    const icon = getIntegrationIcon(names.definition)
    const screen = questionsScreen(layout, { ...withDisplayName(names, messages), icon }, questions)
    // In the window of a sign-in, the page behind it has to see it close.
    const page = await deps.oauthSessions.findReturnPage(session)
    const isPopup = page !== undefined && page.window !== 'page'
    return sendScreen(reply, isPopup ? { ...layout, window: 'popup' } : layout, screen)
  }
  if (outcome === 'running') {
    reply.header('refresh', `${POLL_INTERVAL_S}; url=${pageUrl}`)
    const status = isReplay ? 400 : 200
    return sendScreen(reply, layout, inProgressScreen(messages, names, pageUrl, status))
  }
  const returnUrl = await getReturnUrl(deps, session, outcome, names)
  if (isReplay) {
    const href = returnUrl === undefined ? undefined : pageUrl
    return sendScreen(reply, layout, alreadyFinishedScreen(messages, names, href))
  }
  if (returnUrl !== undefined) return redirect(reply, returnUrl)
  const screen =
    'code' in outcome
      ? failedScreen(messages, names, getDisplayCode(session, outcome.code), 200)
      : successScreen(messages, names)
  return sendScreen(reply, layout, screen)
}

const POLL_INTERVAL_S = 2

/**
 * Redirects the user to `redirectURL` with the outcome, else to the finish page. Always redirects, so that no page
 * stays open under a URL that contains a code.
 */
export async function redirectAfterOAuth(
  deps: OAuthFlowDeps,
  session: OAuthSession,
  outcome: SessionOutcome,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const pageUrl = await getPageReturnUrl(deps, session)
  if (pageUrl !== undefined) return redirect(reply, pageUrl)
  const names = session.redirectUrl === null ? undefined : await getSessionNames(deps, session)
  const returnUrl = names && (await getReturnUrl(deps, session, outcome, names))
  return redirect(reply, returnUrl ?? finishPageUrl(deps.baseUrl(), session))
}

/** The URL at which the user continues on the connect page; undefined when the session did not start there. */
export async function getPageReturnUrl(
  { oauthSessions, baseUrl }: Pick<OAuthFlowDeps, 'oauthSessions' | 'baseUrl'>,
  session: OAuthSession,
): Promise<string | undefined> {
  const page = await oauthSessions.findReturnPage(session)
  return page && buildPageReturnUrl(baseUrl(), page)
}

/** The start's `redirectURL` with the outcome; undefined when it has none, or it is no longer allowed. */
async function getReturnUrl(
  deps: OAuthFlowDeps,
  session: OAuthSession,
  outcome: SessionOutcome,
  names: SessionNames,
): Promise<string | undefined> {
  if (session.redirectUrl === null) return undefined
  const { access } = names
  const accountIdentifier =
    session.accountIdentifier ?? (await getAccountIdentifier(deps, access, session))
  const result =
    'code' in outcome
      ? { success: 'false', error: outcome.code }
      : {
          success: 'true',
          integrationAccountId: outcome.accountId,
          confirmToken: outcome.confirmToken ?? null,
        }
  const redirectUrl = await getAllowedRedirectUrl(deps, access, session, names)
  if (redirectUrl === undefined) return undefined
  return buildReturnUrl(redirectUrl, { ...result, integrationName: names.tool, accountIdentifier })
}

/** A reconnect without an identifier reports the identifier of its account. */
async function getAccountIdentifier(
  { accounts }: Pick<OAuthFlowDeps, 'accounts'>,
  access: WorkspaceAccess,
  { accountId }: OAuthSession,
): Promise<string | null> {
  if (accountId === null) return null
  const account = await accounts.find(access, accountId)
  return account?.accountIdentifier ?? null
}

/** The names on the pages of a session: its tool and its workspace. */
export interface SessionNames {
  readonly tool: string
  readonly definition: DefinitionSummary
  /** Empty when the workspace has no name. */
  readonly workspace: string
  /** The workspace's settings, for its branding. */
  readonly settings: StoredSettings
  /** What the session can access. */
  readonly access: WorkspaceAccess
}

/** Loads the names of a session; undefined when its workspace or definition no longer exists. */
export async function getSessionNames(
  deps: OAuthFlowDeps,
  session: OAuthSession,
): Promise<SessionNames | undefined> {
  const access = getWorkspaceAccess(session)
  const definition = await deps.definitions.find(access, session.definitionId)
  const workspace = await deps.workspaces.find(access, session.workspaceId)
  if (definition === undefined || workspace === undefined) return undefined
  return {
    tool: definition.name,
    definition,
    workspace: workspace.name,
    settings: workspace.settings,
    access,
  }
}

/** `workspace` is empty when the workspace has no name. */
type Names = Pick<MessageParams, 'tool' | 'workspace'>

function withDisplayName<T extends Names>(names: T, messages: Messages): T {
  return { ...names, workspace: getWorkspaceDisplayName({ name: names.workspace }, messages) }
}

/** The form field with the browser secret that this view of the page proposes. */
export const VIEW_FIELD = 'view'

/** Options of the consent screen. */
interface ConsentScreenOptions {
  readonly custom: boolean
  readonly isReconnect: boolean
  readonly icon?: string | undefined
  /** The proposed secret for a browser that has none yet. */
  readonly view: string
  /** Authorization origins over http, to which the form may redirect. */
  readonly formOrigins: readonly string[]
}

/** Says which workspace wants access to which tool, with the button that starts sign-in. */
export function consentScreen(
  messages: Messages,
  sessionNames: Names & Pick<MessageParams, 'host'>,
  { custom, isReconnect, icon, view, formOrigins }: ConsentScreenOptions,
): Screen {
  const { states, action } = messages
  const names = withDisplayName(sessionNames, messages)
  const message = (isReconnect ? states.signInAgain : states.signIn)(names)
  const { title: customWarning, body: disclaimer } = states.beforeSignIn(names)
  const mark = [tile(names.workspace), toolTile(names.tool, icon)]
  const main = html`${stateHeader({ mark, ...message })}
${custom ? notice({ kind: 'warning', text: customWarning }) : ''}
<p class="quiet">${disclaimer}</p>
<form method="post"><input type="hidden" name="${VIEW_FIELD}" value="${view}">${actions(button({ text: action.connect(names) }))}</form>`
  return {
    state: 'signIn',
    status: 200,
    title: message.title,
    main,
    formActionCsp: { sameOriginOnly: false, formOrigins },
    disablesOnSubmit: true,
  }
}

/** The final screen of a successful session without a `redirectURL`. */
function successScreen(messages: Messages, names: Names): Screen {
  const message = messages.states.connected(withDisplayName(names, messages))
  return statusScreen('connected', message, { mark: 'good' })
}

/** The final screen of a failed session without a `redirectURL`. */
export function failedScreen(
  messages: Messages,
  names: Names,
  code: string,
  status: number,
): Screen {
  const { title } = messages.states.failed(names)
  const displayedCode = code === 'credentials_rejected' ? 'sign_in_rejected' : code
  const body = getFailureMessage(messages, displayedCode, withDisplayName(names, messages))
  return statusScreen('failed', { title, body }, { status, mark: 'bad' })
}

/** The screen for a repeated callback while the first is still being processed. The page reloads by itself. */
function inProgressScreen(
  { states, action }: Messages,
  names: Names,
  href: string,
  status: number,
): Screen {
  const buttons = [button({ text: action.checkAgain, kind: 'quiet', href })]
  return statusScreen('stillRunning', states.stillRunning(names), { status, mark: 'wait', buttons })
}

/** The screen for a repeated callback of a finished session, with a button to `href` if there is one. */
function alreadyFinishedScreen(messages: Messages, names: Names, href: string | undefined): Screen {
  const { states, action } = messages
  const text = action.returnTo(withDisplayName(names, messages))
  const buttons = href === undefined ? [] : [button({ text, href })]
  return statusScreen('finished', states.finished({}), { status: 400, mark: 'good', buttons })
}

/** Sends an error page without workspace branding. */
export function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  error: PageError,
): FastifyReply {
  const layout = createPageLayout(request)
  return sendScreen(reply, layout, errorScreen(layout, error, { status }))
}
