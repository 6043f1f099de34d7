import type { PageLayout, Screen } from '../../../platform/ui/screen.ts'
import type { PageContext } from '../page/page-context.ts'
import type { PageSession } from '../session/page-session.ts'

/** A page, or the error screen to show instead. */
export type LoadedPage =
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
