import type { Reach } from '../../caller/caller.ts'
import type { Language } from '../../page/language.ts'
import type { Words } from '../../page/words/words.ts'
import type { LinkRow, WorkspaceRow } from '../../storage/tables.ts'
import type { StoredSettings } from '../../workspace/workspace.ts'
import { type PageQuery, writePageQuery } from '../address/page-query.ts'
import type { Visit } from '../visit/visit.ts'

/** How a page is dressed and where it stands, whatever it says. */
export interface Shell {
  /** `closed`: the end of a window. `why`: says to a page whose frame stayed empty why. */
  readonly mode: 'page' | 'frame' | 'closed' | 'why'
  readonly language: Language
  readonly words: Words
  readonly theme: 'light' | 'dark' | undefined
  /** Origins that may hold a frame; none for pages. */
  readonly origins: readonly string[]
  /** The owner's settings, once it is known whose page it is. */
  readonly settings?: StoredSettings | undefined
}

/** The page of a link, for one visit. */
export interface Page extends Shell {
  readonly link: LinkRow
  readonly workspace: WorkspaceRow
  /** What people know the workspace by. */
  readonly by: string
  /** Where we serve the workspace's logo; undefined until we hold it. */
  readonly logo: string | undefined
  /** What the link reaches: its own workspace, on behalf of the owner. */
  readonly reach: Reach
  readonly query: PageQuery
  readonly visit: Visit
  /** Stands in a window beside the page that was begun on. */
  readonly window?: 'popup' | undefined
}

/** The address of this page in another state. */
export function pageUrl(page: Page, more: Partial<PageQuery> = {}): string {
  const query = writePageQuery(page.query, more)
  const path = `/link/${page.mode === 'frame' ? 'frame/' : ''}${page.link.link_id}`
  return query === '' ? path : `${path}?${query}`
}

/**
 * Where a form goes. Signing in never happens inside a frame, so it has one address. The page's own query stands in it,
 * so that whoever opens the address of a form that was sent comes back to its page, for the same person.
 */
export function formUrl(
  { mode, link, query }: Page,
  what: 'connect' | 'sign-in',
  place: Pick<PageQuery, 'integration' | 'auth'>,
): string {
  const { q, category } = query
  const frame = mode === 'frame' && what === 'connect' ? 'frame/' : ''
  const written = writePageQuery(query, { ...place, q, category })
  return `/link/${frame}${link.link_id}/${what}?${written}`
}
