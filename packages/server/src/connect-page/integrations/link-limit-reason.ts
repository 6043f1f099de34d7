import { ApiError } from '../../errors.ts'
import { assertLinkAccepts } from '../../links/assert-link-accepts.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import type { PageContext } from '../page/page-context.ts'

/** Why a link accepts no further account. */
export type LinkLimitReason = 'link_full' | 'link_identifier_full'

/** Checks the link's limits before a form is shown; undefined when it accepts another account. Storing checks them again. */
export async function linkLimitReason(
  deps: ConnectPageDeps,
  page: PageContext,
): Promise<LinkLimitReason | undefined> {
  const identifier = page.query.accountIdentifier ?? null
  try {
    await assertLinkAccepts(deps, deps.database.read, page.link, identifier)
    return undefined
  } catch (error) {
    const code = error instanceof ApiError ? error.code : undefined
    if (code !== 'link_full' && code !== 'link_identifier_full') throw error
    deps.counters.refused(page.link.linkId, code)
    return code
  }
}
