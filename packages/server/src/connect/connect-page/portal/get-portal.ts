import type { PortalAccountStore } from '../../../accounts/accounts/portal-account-store.ts'
import { isId } from '../../../platform/storage/id.ts'
import type { Screen } from '../../../platform/ui/screen.ts'
import {
  findSessionAccount,
  getAccountScope,
  type SessionPolicy,
} from '../../connect-sessions/find-session-account.ts'
import type { PageContext } from '../page/page-context.ts'
import { disconnectScreen, goneScreen } from './disconnect-screens.ts'
import { portalScreen } from './portal-screen.ts'

export interface PortalDeps {
  readonly portalAccounts: PortalAccountStore
  readonly now: () => number
}

/** Accounts on one page. */
export const PORTAL_PAGE_SIZE = 25

/** The screen of the portal that the URL selects: the list, or the question before disconnecting an account. */
export async function getPortal(
  { portalAccounts, now }: PortalDeps,
  page: PageContext,
): Promise<Screen> {
  const portal = getPortalPolicy(page)
  const scope = portal && getAccountScope(portal)
  if (portal === undefined || scope === undefined) throw new Error('The session is not a portal.')
  const { disconnect, after } = page.query
  if (disconnect !== undefined) {
    const account = await findSessionAccount({ portalAccounts }, page.access, portal, disconnect)
    return account === undefined ? goneScreen(page) : disconnectScreen(page, account)
  }
  const [found, counts] = await Promise.all([
    portalAccounts.list(page.access, scope, {
      limit: PORTAL_PAGE_SIZE + 1,
      after: after !== undefined && isId('acc', after) ? after : undefined,
    }),
    portalAccounts.count(page.access, scope),
  ])
  const accounts = found.slice(0, PORTAL_PAGE_SIZE)
  const hasMore = found.length > accounts.length
  return portalScreen(page, { accounts, hasMore, counts, now: now() })
}

/** The session and the link of a page that is a portal; undefined for any other page. */
export function getPortalPolicy({ connectSession, link }: PageContext): SessionPolicy | undefined {
  return connectSession?.mode === 'manage' ? { connectSession, link } : undefined
}
