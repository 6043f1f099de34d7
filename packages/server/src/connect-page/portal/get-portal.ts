import type { PortalAccountStore } from '../../accounts/portal-account-store.ts'
import { isId } from '../../storage/id.ts'
import type { Screen } from '../../ui/screen.ts'
import type { PageContext } from '../page/page-context.ts'
import { disconnectScreen, goneScreen } from './disconnect-screens.ts'
import { getPortalScope } from './portal-scope.ts'
import { portalScreen } from './portal-screen.ts'

export interface PortalDeps {
  readonly portalAccounts: PortalAccountStore
}

/** Accounts on one page. */
export const PORTAL_PAGE_SIZE = 25

/** The screen of the portal that the URL selects: the list, or the question before disconnecting an account. */
export async function getPortal(
  { portalAccounts }: PortalDeps,
  page: PageContext,
): Promise<Screen> {
  const scope = getPortalScope(page)
  if (scope === undefined) throw new Error('The session is not a portal.')
  const { disconnect, after } = page.query
  if (disconnect !== undefined) {
    const account = isId('acc', disconnect)
      ? await portalAccounts.find(page.access, scope, disconnect)
      : undefined
    return account === undefined ? goneScreen(page) : disconnectScreen(page, account)
  }
  const found = await portalAccounts.list(page.access, scope, {
    limit: PORTAL_PAGE_SIZE + 1,
    after: after !== undefined && isId('acc', after) ? after : undefined,
  })
  const accounts = found.slice(0, PORTAL_PAGE_SIZE)
  return portalScreen(page, { accounts, hasMore: found.length > accounts.length })
}
