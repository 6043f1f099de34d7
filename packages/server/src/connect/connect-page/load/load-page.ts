import type { FastifyReply, FastifyRequest } from 'fastify'
import type { WorkspaceAccess } from '../../../access/auth/caller.ts'
import type { Account } from '../../../accounts/accounts/account.ts'
import { readGrant, toScopesOwner } from '../../../accounts/accounts/account-scopes-store.ts'
import { getForm } from '../../../platform/http/browser-request.ts'
import { getWorkspaceDisplayName } from '../../../platform/i18n/language.ts'
import { isId } from '../../../platform/storage/id.ts'
import { errorScreen, type PageError, type SessionEnd } from '../../../platform/ui/error-screen.ts'
import { type PageLayout, type Screen, sendScreen } from '../../../platform/ui/screen.ts'
import {
  type ConnectSession,
  type ConnectSessionId,
  findSessionAccount,
  getStatus,
  type SessionPolicy,
} from '../../connect-sessions/connect-session.ts'
import { openGivenConfig } from '../../connect-sessions/given-config.ts'
import type { LinkPolicy } from '../../links/link.ts'
import { isClosed } from '../../links/link-policy.ts'
import type { SharedPolicy } from '../../links/link-store.ts'
import { readBrowserSecret } from '../../oauth-flow/session/oauth-session.ts'
import { buildReturnUrl, isRedirectAllowed } from '../../oauth-flow/session/redirect-url.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { getLogoUrl } from '../logo.ts'
import {
  buildFormQuery,
  createMinimalLayout,
  findPageLink,
  frameOrigins,
  getPagePath,
  type PageContext,
  type PageQuery,
  parsePageQuery,
  parseSessionQuery,
} from '../page/page-context.ts'
import {
  getConnectCookie,
  getFormSession,
  isBoundTo,
  type PageSession,
  sessionField,
} from '../page/page-session.ts'

/**
 * Loads the page of a link. Unknown and malformed link IDs get the same error. A closed link, a redirect URL that is not on
 * the allowlist, and a frame that is not allowed are error screens.
 */
export async function loadPage(
  deps: ConnectPageDeps,
  request: FastifyRequest,
  pageRequest: PageRequest,
): Promise<LoadedPage> {
  const { mode, pageId: linkId, searchParams, openSession } = pageRequest
  if (isId('cns', linkId))
    return loadSessionPage(deps, request, { ...pageRequest, connectSessionId: linkId })
  const minimal = createMinimalLayout(request, mode, searchParams)
  const sharedLink = isId('lnk', linkId) ? await deps.sharedLinks.find(linkId) : undefined
  if (sharedLink === undefined) return withError(minimal, 'unknownLink')
  const { link, workspace } = sharedLink
  const settings = workspace.settings
  const workspaceName = getWorkspaceDisplayName(workspace, minimal.messages)
  const origins = mode === 'frame' ? frameOrigins(link, settings) : []
  const layout: PageLayout = { ...minimal, origins, branding: settings.theme }
  if (mode === 'frame' && origins.length === 0) return withError(layout, 'notHere')
  if (link.sessionsOnly) return withError(layout, 'session_required')
  const query = parsePageQuery(searchParams)
  if (query === undefined) return withError(layout, 'wrongAddress', workspaceName)
  const { redirectURL } = query
  if (
    redirectURL !== undefined &&
    !isRedirectAllowed(redirectURL, { workspace, link }, deps.baseUrl())
  )
    return withError(layout, 'redirectNotAllowed')
  const closeReason = link.revokedAt !== null ? 'link_revoked' : 'link_expired'
  if (isClosed(link, deps.now())) {
    deps.counters.refused(link.linkId, closeReason)
    return {
      page: undefined,
      layout,
      screen: errorScreen(layout, closeReason, {
        workspaceName,
        expiresAt: link.expiresAt,
        returnUrl: mode === 'page' ? buildLeaveUrl(link.linkId, query) : undefined,
      }),
    }
  }
  const access = { userId: workspace.userId, boundWorkspaceId: workspace.workspaceId }
  const session = openSession()
  if (session === undefined) return withError(layout, 'notOurs')
  return {
    page: {
      ...layout,
      pageId: link.linkId,
      given: {},
      link,
      workspace,
      workspaceName,
      logo: getLogoUrl(deps, link, workspace, link.linkId),
      access,
      query,
      session,
      data: { 'data-visit': sessionField(session), 'data-link': linkId },
    },
  }
}

/** The redirect URL for a person who leaves a closed link. */
function buildLeaveUrl(linkId: string, query: PageQuery): string | undefined {
  const { redirectURL, accountIdentifier = null } = query
  if (redirectURL === undefined) return undefined
  const left = { success: 'false', error: 'cancelled' }
  return buildReturnUrl(redirectURL, { ...left, accountIdentifier, linkId })
}

function withError(layout: PageLayout, error: PageError, workspaceName?: string): LoadedPage {
  return { page: undefined, layout, screen: errorScreen(layout, error, { workspaceName }) }
}

/** The layout of a rejected form. In a frame its CSP must list the allowed origins, or the browser would not show it. */
export async function loadErrorLayout(
  deps: Pick<ConnectPageDeps, 'sharedLinks' | 'visitedSessions'>,
  request: FastifyRequest,
  { mode, pageId, searchParams }: Omit<PageRequest, 'openSession'>,
): Promise<PageLayout> {
  const layout = createMinimalLayout(request, mode, searchParams)
  if (mode === 'page') return layout
  const sharedLink = await findPageLink(deps, pageId)
  if (sharedLink === undefined) return layout
  return {
    ...layout,
    origins: frameOrigins(sharedLink.link, sharedLink.workspace.settings),
  }
}

/** A page, or the error screen to show instead. */
type LoadedPage =
  | { readonly page: PageContext }
  | { readonly page: undefined; readonly layout: PageLayout; readonly screen: Screen }

/** The parts of a request that determine the page. */
export interface PageRequest {
  readonly mode: 'page' | 'frame'
  /** The ID of a link or of a connect session. */
  readonly pageId: string
  /** The query of the URL or of a submitted form. */
  readonly searchParams: URLSearchParams
  readonly openSession: () => PageSession | undefined
}

interface SessionPageRequest extends PageRequest {
  readonly connectSessionId: ConnectSessionId
}

/**
 * Loads the page of a connect session, for the browser that it is bound to. That browser learns why a session has ended. Every
 * other refusal is the same page: a session that is unknown or of another browser, and a request that names what only the session
 * decides.
 */
async function loadSessionPage(
  deps: ConnectPageDeps,
  request: FastifyRequest,
  { mode, searchParams, openSession, connectSessionId }: SessionPageRequest,
): Promise<LoadedPage> {
  const connectSession = await deps.visitedSessions.find(connectSessionId)
  const policy = connectSession && (await deps.sharedLinks.findOfSession(connectSession))
  const params = withLanguage(searchParams, connectSession)
  const minimal = createMinimalLayout(request, mode, params)
  if (connectSession === undefined || policy === undefined) return refuse(minimal)
  const framed = { ...minimal, origins: getOrigins(mode, policy) }
  const session = openSession()
  const query = parseSessionQuery(params, connectSession)
  if (session === undefined || query === undefined || !isBoundTo(connectSession, session))
    return refuse(framed)
  if (!isUsable(deps, connectSession, policy))
    return refuseKnown(deps, framed, connectSession, policy, 'revoked')
  const page = await createSessionPage(deps, request, framed, {
    connectSession,
    policy,
    query,
    session,
  })
  return page === undefined ? refuse(framed) : { page }
}

/** A connect session in one browser, which has opened it or is about to. */
interface VisitedSession {
  readonly connectSession: ConnectSession
  readonly policy: SharedPolicy
  readonly query: PageQuery
  readonly session: PageSession
}

/** The page of a connect session; undefined if the account to reconnect is not one of its accounts. */
export async function createSessionPage(
  deps: ConnectPageDeps,
  request: FastifyRequest,
  layout: PageLayout,
  { connectSession, policy, query, session }: VisitedSession,
): Promise<PageContext | undefined> {
  const { link, workspace } = policy
  const { connectSessionId } = connectSession
  const access = { userId: workspace.userId, boundWorkspaceId: workspace.workspaceId }
  const account = await findReconnected(deps, access, { connectSession, link }, query)
  if (account === null) return undefined
  const stored = account && (await deps.accounts.find(access, account.accountId))
  const { theme } = workspace.settings
  return {
    ...layout,
    branding: theme,
    pageId: connectSessionId,
    connectSession,
    account,
    grant: account && (await readGrant(deps.database.read, toScopesOwner(account))),
    storedConfig: stored?.publicConfig ?? undefined,
    given: await openGivenConfig(deps.vault, connectSession),
    browserSecret: readBrowserSecret(request, deps.baseUrl()),
    link,
    workspace,
    workspaceName: getWorkspaceDisplayName(workspace, layout.messages),
    logo: getLogoUrl(deps, link, workspace, connectSessionId),
    access,
    query,
    session,
    data: {
      'data-visit': sessionField(session),
      'data-path': getPagePath(connectSessionId, layout.mode),
    },
  }
}

/**
 * The account to reconnect: that of the session, or the one that the person chose in a portal. Undefined to add accounts; null if
 * it is not an account of the session, or still pending.
 */
async function findReconnected(
  deps: Pick<ConnectPageDeps, 'accounts' | 'database' | 'portalAccounts'>,
  access: WorkspaceAccess,
  policy: SessionPolicy,
  { reconnect }: PageQuery,
): Promise<Account | undefined | null> {
  const requested = policy.connectSession.accountId ?? reconnect
  if (requested === undefined) return undefined
  if (!isId('acc', requested)) return null
  const { read } = deps.database
  // Read first: storing compares the account with this one, so it cannot be given to another customer in between.
  const account = await deps.accounts.findWithCredentials(read, access, requested)
  if (account?.sealedConfig == null || account.status === 'pending') return null
  const isOfSession = (await findSessionAccount(deps, access, policy, requested)) !== undefined
  return isOfSession ? account : null
}

/**
 * Loads the page of a form of a connect session. The form must come from the page itself, in the browser that the session is bound
 * to.
 */
export async function loadFormPage(
  deps: ConnectPageDeps,
  request: FastifyRequest,
  { mode, pageId, searchParams: urlParams }: Omit<PageRequest, 'openSession'>,
): Promise<LoadedPage & { readonly form: URLSearchParams }> {
  const form = getForm(request)
  const searchParams = buildFormQuery(urlParams, form)
  const session = isId('cns', pageId)
    ? getFormSession(request, form, deps.baseUrl(), {
        allowedKinds: [mode],
        cookie: getConnectCookie(pageId, 0),
      })
    : undefined
  if (session === undefined || session === 'expired') {
    const layout = await loadErrorLayout(deps, request, { mode, pageId, searchParams })
    return { ...refuse(layout), form }
  }
  const openSession = () => session
  const loaded = await loadPage(deps, request, { mode, pageId, searchParams, openSession })
  return { ...loaded, form }
}

/** Sends the page of a refusal. */
export function sendRefusal(
  reply: FastifyReply,
  { layout, screen }: Pick<Extract<LoadedPage, { page: undefined }>, 'layout' | 'screen'>,
): FastifyReply {
  return sendScreen(reply, layout, screen)
}

/** The page of a connect session that cannot be used, or not by this browser, whatever the reason. */
export function refuse(layout: PageLayout): Extract<LoadedPage, { page: undefined }> {
  const { mode, language, messages, theme, origins, script } = layout
  return {
    page: undefined,
    // Without the workspace's appearance, which would tell that the session exists.
    layout: { mode, language, messages, theme, origins, script },
    screen: errorScreen(layout, 'sessionRefused'),
  }
}

/**
 * The same for a visitor who has the token of the session, or in whose browser it was opened: in the appearance of the workspace,
 * with the reason, whom to ask and the way back. `otherwise`: the reason if the session has not ended.
 */
export function refuseKnown(
  { now, baseUrl }: Pick<ConnectPageDeps, 'baseUrl' | 'now'>,
  layout: PageLayout,
  connectSession: ConnectSession,
  { link, workspace }: SharedPolicy,
  otherwise: SessionEnd,
): Extract<LoadedPage, { page: undefined }> {
  const sessionEnd = getSessionEnd(connectSession, link, now()) ?? otherwise
  const workspaceName = getWorkspaceDisplayName(workspace, layout.messages)
  const expiresAt = Math.min(connectSession.expiresAt, link.expiresAt ?? Number.MAX_SAFE_INTEGER)
  const isReturnable =
    layout.mode === 'page' && isReturnAllowed(connectSession, { link, workspace }, baseUrl())
  const returnUrl = isReturnable ? buildSessionLeaveUrl(connectSession) : undefined
  const params = { workspaceName, expiresAt, sessionEnd, returnUrl }
  return {
    page: undefined,
    layout: { ...layout, branding: workspace.settings.theme },
    screen: errorScreen(layout, 'sessionRefused', params),
  }
}

/** Without the `accountIdentifier`: the visitor may only have the token. */
function buildSessionLeaveUrl({
  redirectUrl,
  connectSessionId,
}: ConnectSession): string | undefined {
  if (redirectUrl === null) return undefined
  return buildReturnUrl(redirectUrl, { success: 'false', error: 'cancelled', connectSessionId })
}

/** Whether the session has no redirect URL, or one that is still on the list. */
function isReturnAllowed(
  { redirectUrl }: ConnectSession,
  { link, workspace }: SharedPolicy,
  baseUrl: string,
): boolean {
  return redirectUrl === null || isRedirectAllowed(redirectUrl, { workspace, link }, baseUrl)
}

function getSessionEnd(
  connectSession: ConnectSession,
  link: LinkPolicy,
  now: number,
): SessionEnd | undefined {
  const status = getStatus(connectSession, now)
  if (status === 'completed') return 'used'
  if (status === 'revoked' || link.revokedAt !== null) return 'revoked'
  return status === 'expired' || isClosed(link, now) ? 'expired' : undefined
}

/** The query with the language of the session, unless the visitor chose another one. */
export function withLanguage(
  searchParams: URLSearchParams,
  connectSession: Pick<ConnectSession, 'lang'> | undefined,
): URLSearchParams {
  const lang = connectSession?.lang
  if (lang == null || searchParams.has('lang')) return searchParams
  return new URLSearchParams([...searchParams, ['lang', lang]])
}

export function getOrigins(
  mode: PageLayout['mode'],
  { link, workspace }: SharedPolicy,
): readonly string[] {
  return mode === 'frame' ? frameOrigins(link, workspace.settings) : []
}

/** A completed session still shows its result. */
function isUsable(
  deps: Pick<ConnectPageDeps, 'baseUrl' | 'now'>,
  connectSession: ConnectSession,
  policy: SharedPolicy,
): boolean {
  const status = getStatus(connectSession, deps.now())
  return (
    (status === 'opened' || status === 'completed') &&
    !isClosed(policy.link, deps.now()) &&
    isReturnAllowed(connectSession, policy, deps.baseUrl())
  )
}
