import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashSecret } from '../../../access/auth/access-token.ts'
import type { PortalAccount } from '../../../accounts/accounts/portal-account-store.ts'
import { getForm, getRequestedBaseUrl } from '../../../platform/http/browser-request.ts'
import { redirect } from '../../../platform/http/send-page.ts'
import { getWorkspaceDisplayName } from '../../../platform/i18n/language.ts'
import { type PageLayout, type Screen, sendScreen } from '../../../platform/ui/screen.ts'
import {
  type ConnectSession,
  findSessionAccount,
  getStatus,
  isConnectToken,
} from '../../connect-sessions/connect-session.ts'
import { recordConnectSessionChange } from '../../connect-sessions/record-connect-session-change.ts'
import { isClosed } from '../../links/link-policy.ts'
import type { SharedPolicy } from '../../links/link-store.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import {
  getFormActionCsp,
  getLinkLimitReason,
  listIntegrations,
  listOfferedDefinitions,
  resolveStep,
} from '../integrations.ts'
import { sendConnectPage } from '../load/get-connect-page.ts'
import {
  createSessionPage,
  getOrigins,
  type PageRequest,
  refuse,
  refuseKnown,
  sendRefusal,
  withLanguage,
} from '../load/load-page.ts'
import { getLogoUrl } from '../logo.ts'
import {
  buildFormQuery,
  createMinimalLayout,
  getPagePath,
  type PageContext,
  type PageQuery,
  parseSessionQuery,
  serializePageQuery,
} from '../page/page-context.ts'
import {
  frameSession,
  getConnectCookie,
  getCookieSession,
  getFormSession,
  getSessionFromRequest,
  isBoundTo,
  type PageCookie,
  type PageSession,
} from '../page/page-session.ts'
import { chooseAuthScreen } from '../screens/choose-auth-screen.ts'
import { formScreen } from '../screens/form-screen.ts'
import { startScreen } from '../screens/start-screen.ts'

type StartRequest = Omit<PageRequest, 'openSession'>

/**
 * The first page of a connect session, with its button. Changes nothing, so that mail scanners and link previews leave the
 * session usable. The browser that it is bound to is redirected to the page of the session, whose URL has no token.
 */
export async function getStartPage(
  deps: ConnectPageDeps,
  { mode, pageId, searchParams }: StartRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const publicUrl = deps.publicAddress(request)
  if (mode === 'page' && publicUrl !== undefined) return redirect(reply, publicUrl)
  if (mode === 'frame' && !isFramed(request))
    return redirect(reply, `${deps.baseUrl()}${getPagePath(pageId)}`)
  const start = await loadStart(deps, request, { mode, pageId, searchParams })
  if (start.query === undefined) return sendRefusal(reply, refuse(start.layout))
  const { connectSession, query } = start
  const existing =
    mode === 'frame'
      ? frameSession(request)
      : getSessionFromRequest(request, deps.baseUrl(), start.cookie)
  if (existing !== undefined && isBoundTo(connectSession, existing))
    return redirect(reply, buildSessionUrl(deps.baseUrl(), mode, connectSession, query))
  if (!isOpenable(deps, start)) return sendRefusal(reply, explain(deps, start))
  const session = createSession(deps, start, request, reply)
  const tool = await createToolScreen(deps, start, session, request)
  return tool === undefined
    ? sendStart(deps, start, session, reply)
    : sendScreen(reply, tool.page, tool.screen)
}

/**
 * Whether the browser shows the page in a frame, or the script of one requests it. A browser that does not say so may show it as a
 * document, to which anyone can be sent.
 */
function isFramed({ headers }: FastifyRequest): boolean {
  // No navigation has this header.
  if (headers['x-linchpin-visit'] !== undefined) return true
  return ['iframe', 'frame', 'empty'].includes(String(headers['sec-fetch-dest']))
}

/**
 * Handles the button: binds the session to this browser. One browser wins; a second click in it has the same result. The
 * form must come from the page itself, in a browser that returns its cookie.
 */
export async function openConnectSession(
  deps: ConnectPageDeps,
  { mode, pageId, searchParams: urlParams }: StartRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = getForm(request)
  const searchParams = buildFormQuery(urlParams, form)
  const start = await loadStart(deps, request, { mode, pageId, searchParams })
  if (start.query === undefined) return sendRefusal(reply, refuse(start.layout))
  const { connectSession, query, cookie } = start
  const options = { allowedKinds: [mode], cookie }
  const session = getFormSession(request, form, deps.baseUrl(), options)
  if (session === undefined) return sendRefusal(reply, refuse(start.layout))
  // The browser has not returned the cookie: nothing is spent.
  if (session === 'expired')
    return isOpenable(deps, start)
      ? sendStart(deps, start, createSession(deps, start, request, reply), reply)
      : sendRefusal(reply, explain(deps, start))
  if (!(await isOpened(deps, start, session, request)))
    return sendRefusal(reply, explain(deps, start))
  if (mode === 'page') {
    const base = getRequestedBaseUrl(request, deps.baseUrl())
    return redirect(reply, buildSessionUrl(base, mode, connectSession, query))
  }
  // A frame has no cookie, so the page after a redirect would not find the session.
  const params = new URLSearchParams(serializePageQuery(query))
  const { connectSessionId } = connectSession
  const pageRequest = { mode, pageId: connectSessionId, searchParams: params }
  return sendConnectPage(deps, { ...pageRequest, openSession: () => session }, request, reply)
}

/**
 * Opens a session with the form of its only tool, whose button is the press, on the page of that session. Returns the response if the form must not be
 * processed; undefined otherwise, also for a form of a session that is open already.
 */
export async function openWithForm(
  deps: ConnectPageDeps,
  { pageId, searchParams: urlParams }: Omit<StartRequest, 'mode'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const token = form.get('start')
  if (token === null) return undefined
  const searchParams = buildFormQuery(urlParams, form)
  const start = await loadStart(deps, request, { mode: 'page', pageId: token, searchParams })
  if (start.query === undefined) return sendRefusal(reply, refuse(start.layout))
  const { connectSession, cookie } = start
  const options = { allowedKinds: ['page'], cookie } as const
  const session = getFormSession(request, form, deps.baseUrl(), options)
  if (session === undefined || connectSession.connectSessionId !== pageId)
    return sendRefusal(reply, refuse(start.layout))
  if (session === 'expired' && isOpenable(deps, start))
    return redirect(reply, `${deps.baseUrl()}${getPagePath(token)}`)
  const isBound = session !== 'expired' && (await isOpened(deps, start, session, request))
  return isBound ? undefined : sendRefusal(reply, explain(deps, start))
}

/** Whether the session is bound to this browser, or has just been. */
async function isOpened(
  deps: ConnectPageDeps,
  start: Start,
  session: PageSession,
  request: FastifyRequest,
): Promise<boolean> {
  if (isBoundTo(start.connectSession, session)) return true
  return isOpenable(deps, start) && (await bind(deps, start, session, request))
}

/**
 * The screen of the only tool, whose own button opens the session. Undefined if there is a choice, or if the screen would show
 * values of the customer: GET may come from a mail scanner.
 */
async function createToolScreen(
  deps: ConnectPageDeps,
  { layout, connectSession, policy, query, token }: Start,
  session: PageSession,
  request: FastifyRequest,
): Promise<{ readonly page: PageContext; readonly screen: Screen } | undefined> {
  // The script of a frame presses the button.
  if (layout.mode === 'frame' || connectSession.mode !== 'connect') return undefined
  if (connectSession.configFields.length > 0) return undefined
  const visited = { connectSession, policy, query, session }
  const created = await createSessionPage(deps, request, layout, visited)
  if (created === undefined || Object.keys(created.storedConfig ?? {}).length > 0) return undefined
  const page = { ...created, startToken: token }
  const { integrations } = await listIntegrations(deps, page)
  const { integration = integrations[0]?.definition.key } = query
  const isOnly = integrations.length === 1 && integrations[0]?.definition.key === integration
  if (!isOnly || (await getLinkLimitReason(deps, page)) !== undefined) return undefined
  const step = resolveStep(page, integrations)
  if (step.type === 'list') return undefined
  if (step.type === 'form') return { page, screen: formScreen(page, step) }
  const formActionCsp = getFormActionCsp(integrations)
  const screen = chooseAuthScreen(page, step.integration, step.back)
  return { page, screen: { ...screen, formActionCsp } }
}

/** A session that may be opened, unless it has ended, and the request for its first page. */
interface Start {
  readonly layout: PageLayout
  readonly connectSession: ConnectSession
  readonly policy: SharedPolicy
  readonly query: PageQuery
  readonly token: string
  readonly cookie: PageCookie
}

async function loadStart(
  deps: ConnectPageDeps,
  request: FastifyRequest,
  { mode, pageId: token, searchParams }: StartRequest,
): Promise<Start | { readonly layout: PageLayout; readonly query: undefined }> {
  const connectSession = isConnectToken(token)
    ? await deps.visitedSessions.findByToken(hashSecret(token))
    : undefined
  const policy = connectSession && (await deps.sharedLinks.findOfSession(connectSession))
  const params = withLanguage(searchParams, connectSession)
  const minimal = createMinimalLayout(request, mode, params)
  if (connectSession === undefined || policy === undefined)
    return { layout: minimal, query: undefined }
  const layout = { ...minimal, origins: getOrigins(mode, policy) }
  const query = parseSessionQuery(params, connectSession)
  if (query === undefined) return { layout, query: undefined }
  const secondsLeft = Math.ceil((connectSession.expiresAt - deps.now()) / 1_000)
  const cookie = getConnectCookie(connectSession.connectSessionId, Math.max(0, secondsLeft))
  return { layout, connectSession, policy, query, token, cookie }
}

/** Whether no one has opened the session yet, and its link is open. */
function isOpenable(
  { now }: Pick<ConnectPageDeps, 'now'>,
  { connectSession, policy }: Start,
): boolean {
  return getStatus(connectSession, now()) === 'created' && !isClosed(policy.link, now())
}

/** A visitor with the token learns why it cannot be used. */
function explain(
  deps: Pick<ConnectPageDeps, 'baseUrl' | 'now'>,
  { layout, connectSession, policy }: Start,
) {
  return refuseKnown(deps, layout, connectSession, policy, 'elsewhere')
}

/** The session of this browser, which a frame keeps in its page. */
function createSession(
  { baseUrl }: Pick<ConnectPageDeps, 'baseUrl'>,
  { layout, cookie }: Start,
  request: FastifyRequest,
  reply: FastifyReply,
): PageSession {
  return layout.mode === 'frame'
    ? frameSession(request)
    : getCookieSession(request, reply, baseUrl(), cookie)
}

async function sendStart(
  deps: ConnectPageDeps,
  start: Start,
  session: PageSession,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { layout, connectSession, policy, query, token } = start
  const { workspace } = policy
  const branded = { ...layout, branding: workspace.settings.theme }
  const workspaceName = getWorkspaceDisplayName(workspace, layout.messages)
  const isPortal = connectSession.mode === 'manage'
  const tool = isPortal ? undefined : await findOnlyTool(deps, start)
  const isReconnect = connectSession.accountId !== null
  const logo = getLogoUrl(deps, policy.link, workspace, connectSession.connectSessionId)
  const isSetup = connectSession.mode === 'app'
  const view = { workspaceName, logo, isPortal, isSetup, tool, isReconnect, query, token, session }
  return sendScreen(reply, branded, startScreen(branded, view))
}

/** The tool of a session that is for one: the account to reconnect, or the only tool that it offers. */
async function findOnlyTool(
  deps: ConnectPageDeps,
  { connectSession, policy: { link, workspace } }: Start,
): Promise<PortalAccount['definition'] | undefined> {
  const access = { userId: workspace.userId, boundWorkspaceId: workspace.workspaceId }
  const { accountId } = connectSession
  if (accountId !== null)
    return (await findSessionAccount(deps, access, { connectSession, link }, accountId))?.definition
  const [tool, ...others] = await listOfferedDefinitions(deps, access, { connectSession, link })
  return others.length === 0 ? tool : undefined
}

async function bind(
  deps: ConnectPageDeps,
  { connectSession, policy }: Start,
  { hash }: PageSession,
  { id: requestId, auditIp: ip }: FastifyRequest,
): Promise<boolean> {
  const { connectSessionId } = connectSession
  const now = deps.now()
  const bound = await deps.database.transaction(async (trx) => {
    const opened = await deps.visitedSessions.bind(trx, connectSessionId, hash, now)
    if (opened === undefined) return undefined
    const { userId } = policy.workspace
    const actor = { userId, tokenId: null, requestId, ip }
    await recordConnectSessionChange(trx, actor, now, 'connect_session.opened', opened)
    return opened
  })
  if (bound !== undefined) return true
  // Another click of this browser may have been faster.
  const current = await deps.visitedSessions.find(connectSessionId)
  return current !== undefined && isBoundTo(current, { kind: 'page', secret: '', hash })
}

function buildSessionUrl(
  baseUrl: string,
  mode: PageRequest['mode'],
  { connectSessionId }: ConnectSession,
  query: PageQuery,
): string {
  // A submission of the page before it was opened.
  const search = serializePageQuery(query, { attempt: query.attempt })
  return `${baseUrl}${getPagePath(connectSessionId, mode)}${search === '' ? '' : `?${search}`}`
}
