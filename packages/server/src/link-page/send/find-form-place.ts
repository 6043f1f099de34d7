import type { LinkPageDeps } from '../link-page-deps.ts'
import { findTools } from '../open/find-tools.ts'
import { type FormPlace, findPlace } from '../open/place.ts'
import { whyFull } from '../open/why-full.ts'
import { fullScreen } from '../view/full.ts'
import { goneScreen } from '../view/gone.ts'
import type { Page } from '../view/page.ts'
import type { Screen } from '../view/screen.ts'

/** The form that was sent, as the link offers it now; else why there is none any more. */
export async function findFormPlace(
  deps: LinkPageDeps,
  page: Page,
  form: URLSearchParams,
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
  if (isMeant) return { place }
  const full = await whyFull(deps, page)
  const visit = { visitHash: page.visit.hash, linkId: page.link.link_id }
  if (full !== undefined)
    return { screen: fullScreen(page, full, await deps.visitAttempts.accounts(visit)) }
  const tool = offer.tools.find(({ definition }) => definition.key === integration)
  return { screen: goneScreen(page, tool, form.get('tool') ?? integration ?? '') }
}
