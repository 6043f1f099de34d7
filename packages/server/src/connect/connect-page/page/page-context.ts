import type { FastifyRequest } from 'fastify'
import type { WorkspaceAccess } from '../../../access/auth/caller.ts'
import type { StoredSettings, Workspace } from '../../../access/workspaces/workspace.ts'
import type { Account } from '../../../accounts/accounts/account.ts'
import { chooseTheme, createPageLayout, type PageLayout } from '../../../platform/ui/screen.ts'
import type { ConnectSession } from '../../connect-sessions/connect-session.ts'
import type { GivenValues } from '../../connect-sessions/given-config.ts'
import type { LinkPolicy } from '../../links/link.ts'
import type { PageId } from '../../links/submissions/submission.ts'
import type { PageSession } from '../session/page-session.ts'
import {
  type PageQuery,
  PERSISTENT_PARAMS,
  SESSION_PAGE_PARAMS,
  SESSION_PARAMS,
} from './page-query.ts'

/** The page of a link or of a connect session, in one browser session. */
export interface PageContext extends PageLayout {
  /** What the URLs of the page name: its link, or its connect session. */
  readonly pageId: PageId
  /** Undefined for the page of a link. */
  readonly connectSession?: ConnectSession | undefined
  /** The account to reconnect; undefined to add accounts. */
  readonly account?: Account | undefined
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
}

/** The path of a page, without its query. */
export function getPagePath(pageId: string, mode: PageLayout['mode'] = 'page'): string {
  const folder = /^cn[st]_/.test(pageId) ? 'connect' : 'link'
  return `/${folder}/${mode === 'frame' ? 'frame/' : ''}${encodeURIComponent(pageId)}`
}

/** The URL of this page in another state. */
export function buildPageUrl(page: PageContext, additions: Partial<PageQuery> = {}): string {
  const query = serializePageQuery(page.query, additions)
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
