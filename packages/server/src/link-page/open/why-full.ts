import { ApiError } from '../../errors.ts'
import { admitThroughLink } from '../../link/policy/admit-through-link.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import type { Page } from '../view/page.ts'

/** Why a link takes no more. */
export type Fullness = 'link_full' | 'link_identifier_full'

/** Spares a person the form when the link takes no more; undefined while it does. Whoever stores an account decides. */
export async function whyFull(deps: LinkPageDeps, page: Page): Promise<Fullness | undefined> {
  const identifier = page.query.accountIdentifier ?? null
  try {
    await admitThroughLink(deps, deps.database.read, page.link, identifier)
    return undefined
  } catch (error) {
    const code = error instanceof ApiError ? error.code : undefined
    if (code !== 'link_full' && code !== 'link_identifier_full') throw error
    deps.counters.refused(page.link.link_id, code)
    return code
  }
}
