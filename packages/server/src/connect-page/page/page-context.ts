import type { FastifyRequest } from 'fastify'
import type { WorkspaceAccess } from '../../auth/caller.ts'
import type { Link } from '../../links/link.ts'
import { createPageLayout, type PageLayout } from '../../ui/screen.ts'
import type { StoredSettings, Workspace } from '../../workspaces/workspace.ts'
import type { PageSession } from '../session/page-session.ts'
import { type PageQuery, serializePageQuery } from './page-query.ts'

/** The page of a link in one session. */
export interface PageContext extends PageLayout {
  readonly link: Link
  readonly workspace: Workspace
  /** The workspace's name for customers. */
  readonly workspaceName: string
  /** URL of the workspace's logo; undefined until it is cached. */
  readonly logo: string | undefined
  /** What the link can access: its workspace, on behalf of the owner. */
  readonly access: WorkspaceAccess
  readonly query: PageQuery
  readonly session: PageSession
}

/** The URL of this page in another state. */
export function buildPageUrl(page: PageContext, additions: Partial<PageQuery> = {}): string {
  const query = serializePageQuery(page.query, additions)
  const path = `/link/${page.mode === 'frame' ? 'frame/' : ''}${page.link.linkId}`
  return query === '' ? path : `${path}?${query}`
}

/**
 * The action URL of a form. Sign-in never runs inside a frame, so it has a single URL. The URL includes the page's query, so
 * that opening it with GET leads back to the page with the same account identifier.
 */
export function buildFormUrl(
  { mode, link, query }: PageContext,
  formAction: 'connect' | 'sign-in',
  target: Pick<PageQuery, 'integration' | 'auth'>,
): string {
  const { q, category } = query
  const frame = mode === 'frame' && formAction === 'connect' ? 'frame/' : ''
  const search = serializePageQuery(query, { ...target, q, category })
  return `/link/${frame}${link.linkId}/${formAction}?${search}`
}

/** The layout of a page before its link is loaded. */
export function createMinimalLayout(
  request: FastifyRequest,
  mode: PageLayout['mode'],
  searchParams: URLSearchParams,
): PageLayout {
  const script = mode === 'why' ? 'link-why.js' : 'link-page.js'
  return createPageLayout(request, { mode, searchParams, script })
}

/** The origins that may embed the page: the link's allowlist, else the workspace's. Empty when embedding is not allowed. */
export function frameOrigins(link: Link, settings: StoredSettings): readonly string[] {
  return link.allowedOrigins.length > 0 ? link.allowedOrigins : (settings.allowedFrameOrigins ?? [])
}
