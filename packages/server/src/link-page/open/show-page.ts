import { attemptScreen } from '../attempt/attempt-screen.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import { chooseAuthScreen } from '../view/choose-auth.ts'
import { emptyScreen } from '../view/empty.ts'
import { formScreen } from '../view/form-screen.ts'
import { fullScreen } from '../view/full.ts'
import type { Page } from '../view/page.ts'
import { pickerScreen } from '../view/picker.ts'
import type { Screen } from '../view/screen.ts'
import { findTools } from './find-tools.ts'
import { formTargets } from './form-targets.ts'
import { findPlace } from './place.ts'
import { whyFull } from './why-full.ts'

/** The state that the address names: an attempt of this visit, a form, the ways of a tool, or the list. */
export async function showPage(deps: LinkPageDeps, page: Page): Promise<Screen> {
  const attempt = await attemptScreen(deps, page)
  if (attempt !== undefined) return attempt
  const visit = { visitHash: page.visit.hash, linkId: page.link.link_id }
  const [offer, accounts, full] = await Promise.all([
    findTools(deps, page),
    deps.visitAttempts.accounts(visit),
    whyFull(deps, page),
  ])
  if (full !== undefined) return fullScreen(page, full, accounts)
  if (offer.empty !== undefined) return emptyScreen(page, offer.empty, offer.missing)
  const missing = offer.unready.find(({ definition }) => definition.key === page.query.integration)
  if (missing !== undefined) return emptyScreen(page, 'appMissing', missing, { hasOthers: true })
  const place = findPlace(page, offer.tools)
  if (place.at === 'form') return formScreen(page, place)
  const targets = formTargets(offer.tools)
  if (place.at === 'ways') return { ...chooseAuthScreen(page, place.tool, place.back), targets }
  return { ...pickerScreen(page, offer.tools, accounts), targets }
}
