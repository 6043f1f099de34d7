import type { AccessScope } from '../../auth/caller.ts'
import type { Language } from '../../i18n/language.ts'
import type { Messages } from '../../i18n/messages.ts'
import type { LinkRow, WorkspaceRow } from '../../storage/tables.ts'
import type { StoredSettings } from '../../workspaces/workspace.ts'
import type { PageSession } from '../session/page-session.ts'
import { type PageQuery, serializePageQuery } from '../url/page-query.ts'

/** How a page is dressed and where it stands, whatever it says. */
export interface PageLayout {
  /** `closed`: the end of a window. `why`: says to a page whose frame stayed empty why. */
  readonly mode: 'page' | 'frame' | 'closed' | 'why'
  readonly language: Language
  readonly messages: Messages
  readonly theme: 'light' | 'dark' | undefined
  /** Origins that may hold a frame; none for pages. */
  readonly origins: readonly string[]
  /** The owner's settings, once it is known whose page it is. */
  readonly settings?: StoredSettings | undefined
}

/** The page of a link, for one visit. */
export interface PageContext extends PageLayout {
  readonly link: LinkRow
  readonly workspace: WorkspaceRow
  /** What people know the workspace by. */
  readonly workspaceName: string
  /** Where we serve the workspace's logo; undefined until we hold it. */
  readonly logo: string | undefined
  /** What the link reaches: its own workspace, on behalf of the owner. */
  readonly accessScope: AccessScope
  readonly query: PageQuery
  readonly session: PageSession
  /** Stands in a window beside the page that was begun on. */
  readonly window?: 'popup' | undefined
}

/** The address of this page in another state. */
export function pageUrl(page: PageContext, additions: Partial<PageQuery> = {}): string {
  const query = serializePageQuery(page.query, additions)
  const path = `/link/${page.mode === 'frame' ? 'frame/' : ''}${page.link.link_id}`
  return query === '' ? path : `${path}?${query}`
}

/**
 * Where a form goes. Signing in never happens inside a frame, so it has one address. The page's own query stands in it,
 * so that whoever opens the address of a form that was sent comes back to its page, for the same person.
 */
export function formUrl(
  { mode, link, query }: PageContext,
  formAction: 'connect' | 'sign-in',
  target: Pick<PageQuery, 'integration' | 'auth'>,
): string {
  const { q, category } = query
  const frame = mode === 'frame' && formAction === 'connect' ? 'frame/' : ''
  const search = serializePageQuery(query, { ...target, q, category })
  return `/link/${frame}${link.link_id}/${formAction}?${search}`
}
