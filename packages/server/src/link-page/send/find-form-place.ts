import type { LinkPageDeps } from '../link-page-deps.ts'
import { findTools } from '../open/find-tools.ts'
import { type FormPlace, findPlace } from '../open/place.ts'
import { showPage } from '../open/show-page.ts'
import type { Page } from '../view/page.ts'
import type { Screen } from '../view/screen.ts'

/** The form that was sent, as the link offers it now; else what there is instead. */
export async function findFormPlace(
  deps: LinkPageDeps,
  page: Page,
  kind: 'credentials' | 'sign_in',
): Promise<
  | { readonly place: FormPlace; readonly screen?: undefined }
  | { readonly place?: undefined; readonly screen: Screen }
> {
  const offer = await findTools(deps, page)
  const place = findPlace(page, offer.tools)
  const { integration, auth } = page.query
  const isMeant =
    place.at === 'form' &&
    place.way.kind === kind &&
    place.way.authType === auth &&
    place.tool.definition.key === integration
  return isMeant ? { place } : { screen: await showPage(deps, page) }
}
