import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PortalAccount } from '../../accounts/portal-account.ts'
import { hashSecret } from '../../auth/hash-secret.ts'
import { type ConnectSession, getStatus } from '../../connect-sessions/connect-session.ts'
import { isConnectToken } from '../../connect-sessions/connect-token.ts'
import { findSessionAccount } from '../../connect-sessions/find-session-account.ts'
import { recordConnectSessionChange } from '../../connect-sessions/record-connect-session-change.ts'
import { getForm } from '../../http/form-body.ts'
import { getRequestedBaseUrl } from '../../http/get-requested-host.ts'
import { redirect } from '../../http/send-page.ts'
import { getWorkspaceDisplayName } from '../../i18n/get-messages.ts'
import { isClosed } from '../../links/link-policy.ts'
import type { SharedPolicy } from '../../links/link-store.ts'
import { type PageLayout, sendScreen } from '../../ui/screen.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { listOfferedDefinitions } from '../integrations.ts'
import { sendConnectPage } from '../load/get-connect-page.ts'
import { getOrigins, refuse, refuseKnown, withLanguage } from '../load/load-session-page.ts'
import type { PageRequest } from '../load/page-request.ts'
import { getLogoUrl } from '../logo.ts'
import {
  buildFormQuery,
  createMinimalLayout,
  getPagePath,
  parseSessionQuery,
  serializePageQuery,
} from '../page/page-context.ts'
import type { PageQuery } from '../page/page-query.ts'
import { startScreen } from '../screens/start-screen.ts'
import { getConnectCookie, isBoundTo } from '../session/connect-cookie.ts'
import {
  frameSession,
  getCookieSession,
  getFormSession,
  getSessionFromRequest,
  type PageCookie,
  type PageSession,
} from '../session/page-session.ts'

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
  return sendStart(deps, start, request, reply)
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
  const isNew = isOpenable(deps, start)
  // The browser has not returned the cookie: nothing is spent.
  if (session === 'expired')
    return isNew ? sendStart(deps, start, request, reply) : sendRefusal(reply, explain(deps, start))
  const isBound =
    isBoundTo(connectSession, session) || (isNew && (await bind(deps, start, session, request)))
  if (!isBound) return sendRefusal(reply, explain(deps, start))
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
function explain({ now }: Pick<ConnectPageDeps, 'now'>, { layout, connectSession, policy }: Start) {
  return refuseKnown(layout, connectSession, policy, { now: now(), otherwise: 'elsewhere' })
}

function sendRefusal(
  reply: FastifyReply,
  { layout, screen }: ReturnType<typeof refuse>,
): FastifyReply {
  return sendScreen(reply, layout, screen)
}

async function sendStart(
  deps: ConnectPageDeps,
  start: Start,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { layout, connectSession, policy, query, token, cookie } = start
  const { workspace } = policy
  const session =
    layout.mode === 'frame'
      ? frameSession(request)
      : getCookieSession(request, reply, deps.baseUrl(), cookie)
  const branded = { ...layout, branding: workspace.settings.theme }
  const workspaceName = getWorkspaceDisplayName(workspace, layout.messages)
  const isPortal = connectSession.mode === 'manage'
  const tool = isPortal ? undefined : await findOnlyTool(deps, start)
  const isReconnect = connectSession.accountId !== null
  const logo = policy.workspace.settings.theme?.logoUrl
  const logoUrl =
    logo === undefined
      ? undefined
      : getLogoUrl(deps, policy.link, logo, connectSession.connectSessionId)
  const view = { workspaceName, logo: logoUrl, isPortal, tool, isReconnect, query, token, session }
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
  const search = serializePageQuery(query)
  return `${baseUrl}${getPagePath(connectSessionId, mode)}${search === '' ? '' : `?${search}`}`
}
