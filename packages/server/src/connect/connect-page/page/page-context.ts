import type { FastifyRequest } from 'fastify'
import { hashSecret } from '../../../access/auth/access-token.ts'
import type { WorkspaceAccess } from '../../../access/auth/caller.ts'
import type { StoredSettings, Workspace } from '../../../access/workspaces/workspace.ts'
import type { Account } from '../../../accounts/accounts/account.ts'
import type { ScopeGrant } from '../../../integrations/oauth/spec/scopes.ts'
import { isId } from '../../../platform/storage/id.ts'
import { chooseTheme, createPageLayout, type PageLayout } from '../../../platform/ui/screen.ts'
import type { PageId } from '../../attempts/submission.ts'
import { type ConnectSession, isConnectToken } from '../../connect-sessions/connect-session.ts'
import type { VisitedSessionStore } from '../../connect-sessions/connect-session-store.ts'
import type { GivenValues } from '../../connect-sessions/given-config.ts'
import type { LinkPolicy } from '../../links/link.ts'
import type { SharedLinkStore, SharedPolicy } from '../../links/link-store.ts'
import type { PageSession } from './page-session.ts'

/** The page of a link or of a connect session, in one browser session. */
export interface PageContext extends PageLayout {
  /** What the URLs of the page name: its link, or its connect session. */
  readonly pageId: PageId
  /** Undefined for the page of a link. */
  readonly connectSession?: ConnectSession | undefined
  /** The account to reconnect; undefined to add accounts. */
  readonly account?: Account | undefined
  /** What its customer granted, if that is known. */
  readonly grant?: ScopeGrant | undefined
  /** The public fields of its configuration. */
  readonly storedConfig?: Readonly<Record<string, unknown>> | undefined
  /** The values that the session gives, by field. */
  readonly given: GivenValues
  /** The secret that a sign-in of this browser is bound to. */
  readonly browserSecret?: string | undefined
  readonly link: LinkPolicy
  readonly workspace: Workspace
  /** The workspace's name for customers. */
  readonly workspaceName: string
  /** URL of the workspace's logo; undefined until it is cached. */
  readonly logo: string | undefined
  /** What the page can access: its workspace, on behalf of the owner. */
  readonly access: WorkspaceAccess
  readonly query: PageQuery
  readonly session: PageSession
  /** The token of a connect session that no browser has opened yet: the first form opens it. */
  readonly startToken?: string | undefined
  /** In a preview: its own URL, to which its links lead, with the settings that it shows. */
  readonly previewUrl?: { readonly path: string; readonly settings: URLSearchParams } | undefined
}

/** Who acts on a page, for the audit trail: no token, but the owner of the workspace, at the address of the browser. */
export function createPageActor(
  access: WorkspaceAccess,
  { id: requestId, auditIp: ip }: Pick<FastifyRequest, 'id' | 'auditIp'>,
) {
  return {
    ...access,
    tokenId: null,
    requestId,
    ip,
  }
}

/** The path of a page, without its query. */
export function getPagePath(pageId: string, mode: PageLayout['mode'] = 'page'): string {
  const folder = /^cn[st]_/.test(pageId) ? 'connect' : 'link'
  return `/${folder}/${mode === 'frame' ? 'frame/' : ''}${encodeURIComponent(pageId)}`
}

/** The URL of this page in another state. */
export function buildPageUrl(page: PageContext, additions: Partial<PageQuery> = {}): string {
  const query = serializePageQuery(page.query, additions)
  if (page.previewUrl !== undefined) {
    const params = new URLSearchParams([...page.previewUrl.settings, ...new URLSearchParams(query)])
    return `${page.previewUrl.path}?${params}`
  }
  const path = getPagePath(page.startToken ?? page.pageId, page.mode)
  return query === '' ? path : `${path}?${query}`
}

/**
 * The action URL of a form. Sign-in never runs inside a frame, so it has a single URL. The URL includes the page's query, so
 * that opening it with GET leads back to the page with the same account identifier.
 */
export function buildFormUrl(
  { mode, pageId, query }: PageContext,
  formAction: 'connect' | 'sign-in',
  target: Pick<PageQuery, 'integration' | 'auth'>,
): string {
  const { q, category } = query
  const search = serializePageQuery(query, { ...target, q, category })
  const path = getPagePath(pageId, formAction === 'connect' ? mode : 'page')
  return `${path}/${formAction}?${search}`
}

/** The action URL of a form of a portal, which opened with GET leads back to the page in this state. */
export function buildPortalFormUrl(
  { mode, pageId, query }: PageContext,
  name: 'agents' | 'clients' | 'disconnect',
  additions: Partial<PageQuery> = {},
): string {
  const search = serializePageQuery(query, additions)
  return `${getPagePath(pageId, mode)}/${name}${search === '' ? '' : `?${search}`}`
}

/** The layout of a page before its link is loaded. */
export function createMinimalLayout(
  request: FastifyRequest,
  mode: PageLayout['mode'],
  searchParams: URLSearchParams,
): PageLayout {
  return createPageLayout(request, { mode, searchParams, script: `link-${mode}.js` })
}

/** The origins that may embed the page: the link's allowlist, else the workspace's. Empty when embedding is not allowed. */
export function frameOrigins(
  link: Pick<LinkPolicy, 'allowedOrigins'>,
  settings: StoredSettings,
): readonly string[] {
  return link.allowedOrigins.length > 0 ? link.allowedOrigins : (settings.allowedFrameOrigins ?? [])
}

/** The URL of the accounts of a customer. */
export function buildPortalUrl(page: PageContext): string {
  return buildPageUrl(page, { view: undefined, reconnect: undefined })
}

/** Whether the page shows the accounts of a customer, not tools to connect. */
export function isPortal({
  connectSession,
  query,
}: Pick<PageContext, 'connectSession' | 'query'>): boolean {
  const { view, reconnect, integration, attempt } = query
  return (
    connectSession?.mode === 'manage' &&
    view === undefined &&
    reconnect === undefined &&
    integration === undefined &&
    attempt === undefined
  )
}

/** The query of the page of a connect session; undefined when the request names anything that the session decides. */
export function parseSessionQuery(
  searchParams: URLSearchParams,
  { accountIdentifier, redirectUrl, mode }: ConnectSession,
): PageQuery | undefined {
  const reconnect = searchParams.get('reconnect') ?? undefined
  if (reconnect !== undefined && mode !== 'manage') return undefined
  if (SESSION_PARAMS.some((name) => searchParams.has(name))) return undefined
  const query = parsePageQuery(searchParams)
  return (
    query && {
      ...query,
      accountIdentifier: accountIdentifier ?? undefined,
      redirectURL: redirectUrl ?? undefined,
      integrationKeys: undefined,
      isFixed: true,
      reconnect,
      view: searchParams.get('view') === 'connect' ? ('connect' as const) : undefined,
      disconnect: searchParams.get('disconnect') ?? undefined,
      agents: searchParams.get('agents') ?? undefined,
      after: searchParams.get('after') ?? undefined,
    }
  )
}

/**
 * Parses the query as leniently as old embeds require: unknown parameters are ignored, the first of duplicates wins, and
 * malformed or overlong values are treated as absent. Undefined when `accountIdentifier` is malformed, overlong or contains
 * control characters, which forms don't preserve: an account must never be attached to the wrong identifier.
 */
export function parsePageQuery(searchParams: URLSearchParams): PageQuery | undefined {
  const text = (name: string, maxLength: number) => {
    const value = searchParams.get(name)
    return value !== null && value !== '' && isText(value, maxLength) ? value : undefined
  }
  const accountIdentifier = text('accountIdentifier', 255)
  if (accountIdentifier === undefined && (searchParams.get('accountIdentifier') ?? '') !== '')
    return undefined
  if (/\p{Cc}/u.test(accountIdentifier ?? '')) return undefined
  const submissionId = text('attempt', 22)
  return {
    accountIdentifier,
    // An invalid URL is rejected by the redirect allowlist, with its own error screen.
    redirectURL: searchParams.get('redirectURL') || undefined,
    integrationKeys: text('integrationKeys', 2_000),
    integration: text('integration', 200),
    auth: text('auth', 100),
    lang: text('lang', 35),
    theme: chooseTheme(searchParams.get('theme')),
    attempt: submissionId !== undefined && isSubmissionId(submissionId) ? submissionId : undefined,
    q: text('q', 100),
    category: text('category', 100),
  }
}

/** Whether a text has the format of a submission ID: 128 bits in base64url. */
export function isSubmissionId(text: string): boolean {
  return /^[A-Za-z0-9_-]{22}$/.test(text)
}

/** Serializes the persistent parameters and the additions of one state. */
export function serializePageQuery(query: PageQuery, additions: Partial<PageQuery> = {}): string {
  const params = new URLSearchParams()
  for (const name of query.isFixed === true ? SESSION_PAGE_PARAMS : PERSISTENT_PARAMS) {
    const value = query[name]
    if (value !== undefined) params.set(name, value)
  }
  for (const [name, value] of Object.entries(additions))
    if (value === undefined) params.delete(name)
    else params.set(name, String(value))
  return params.toString()
}

/**
 * The page query of a submitted form. It comes from the action URL, unmodified; form fields are a fallback for forms that
 * were rendered by an older version. Other fields are not part of the query.
 */
export function buildFormQuery(
  urlParams: URLSearchParams,
  formParams: URLSearchParams,
): URLSearchParams {
  // `get` and `set` of URLSearchParams are linear, so use Maps. The first of duplicate values wins.
  const merged = new Map([...formParams].reverse())
  for (const name of ['attempt', 'category', 'q']) merged.delete(name)
  for (const [name, value] of new Map([...urlParams].reverse())) merged.set(name, value)
  merged.delete('attempt')
  return new URLSearchParams([...merged])
}

function isText(value: string, maxLength: number): boolean {
  return value.length <= maxLength && value.isWellFormed() && !/[\0\ufffd]/.test(value)
}

/** The query parameters of the connect page. Its forms repeat them. */
export interface PageQuery {
  readonly accountIdentifier: string | undefined
  readonly redirectURL: string | undefined
  /** Comma-separated definition keys; only these are offered. */
  readonly integrationKeys: string | undefined
  /** Key of the selected definition. */
  readonly integration: string | undefined
  /** The selected auth type. */
  readonly auth: string | undefined
  readonly lang: string | undefined
  readonly theme: 'light' | 'dark' | undefined
  readonly attempt: string | undefined
  /** The search query. */
  readonly q: string | undefined
  /** Key of the selected category. */
  readonly category: string | undefined
  /** The account that the person reconnects, in a session of the mode `manage`. */
  readonly reconnect?: string | undefined
  /** Whether a connect session gives the identifier and the redirect URL, so that no URL has them. */
  readonly isFixed?: boolean
  /** `connect`: the tools to connect, instead of the accounts of a portal. */
  readonly view?: 'connect' | undefined
  /** The account that a portal asks about before it disconnects it. */
  readonly disconnect?: string | undefined
  /** The account of which a portal shows what agents may do. */
  readonly agents?: string | undefined
  /** The account after which the list of a portal continues. */
  readonly after?: string | undefined
}

/** What only the session decides. Refused rather than ignored: an attempt to change it must not look as if it worked. */
const SESSION_PARAMS = [
  'accountIdentifier',
  'redirectURL',
  'integrationKeys',
  'linkId',
  'connectSessionId',
  'integrationAccountId',
  'workspaceId',
  'maxAccounts',
  'mode',
  'token',
]

/** Parameters that every URL of the page retains. */
export const PERSISTENT_PARAMS = [
  'accountIdentifier',
  'redirectURL',
  'integrationKeys',
  'lang',
  'theme',
] as const satisfies readonly (keyof PageQuery)[]

/** The same for the page of a connect session. */
const SESSION_PAGE_PARAMS = ['lang', 'theme', 'view', 'reconnect'] as const

/** The URL to retry a page that failed to load: the same link with the same selection. Undefined without a link ID. */
export function buildRetryUrl(
  mode: 'page' | 'frame',
  pageId: string | undefined,
  searchParams: URLSearchParams,
): string | undefined {
  if (pageId === undefined || pageId === '') return undefined
  // A session that could not be shown will not be shown again.
  if (/^cn[st]_/.test(pageId)) return undefined
  const query = parsePageQuery(searchParams)
  const search =
    query && serializePageQuery(query, { integration: query.integration, auth: query.auth })
  const path = getPagePath(pageId, mode)
  return search ? `${path}?${search}` : path
}

export interface FindPageLinkDeps {
  readonly sharedLinks: SharedLinkStore
  readonly visitedSessions: VisitedSessionStore
}

/** What a page may connect, by the ID of a link, the ID of a connect session or its token; undefined if there is none. */
export async function findPageLink(
  deps: FindPageLinkDeps,
  pageId: string,
): Promise<SharedPolicy | undefined> {
  if (isId('lnk', pageId)) return deps.sharedLinks.find(pageId)
  const session = isId('cns', pageId)
    ? await deps.visitedSessions.find(pageId)
    : isConnectToken(pageId)
      ? await deps.visitedSessions.findByToken(hashSecret(pageId))
      : undefined
  return session && deps.sharedLinks.findOfSession(session)
}
