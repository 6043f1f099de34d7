import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { AccountScope, PortalAccount } from '../../accounts/accounts/portal-account.ts'
import type { PortalAccountStore } from '../../accounts/accounts/portal-account-store.ts'
import { isId } from '../../platform/storage/id.ts'
import type { LinkPolicy } from '../links/link.ts'
import type { ConnectSession } from './connect-session.ts'

/**
 * The account of a session: live, of its customer, of a tool that the session and its link allow and, in a session that
 * reconnects one account, that account. The only answer to the question, for the page, its forms and the end of a sign-in.
 * Undefined for every other account, and for malformed IDs.
 */
export async function findSessionAccount(
  { portalAccounts }: { readonly portalAccounts: Pick<PortalAccountStore, 'find'> },
  access: WorkspaceAccess,
  { connectSession, link }: SessionPolicy,
  accountId: string,
): Promise<PortalAccount | undefined> {
  const scope = getAccountScope({ connectSession, link })
  return scope === undefined || !isId('acc', accountId)
    ? undefined
    : portalAccounts.find(access, scope, accountId)
}

/** A session, and what its link or workspace allows. */
export interface SessionPolicy {
  readonly connectSession: ConnectSession
  readonly link: Pick<LinkPolicy, 'definitionIds' | 'categories'>
}

/** The accounts of a session; undefined for one that names neither a customer nor an account, and so has none. */
export function getAccountScope({ connectSession, link }: SessionPolicy): AccountScope | undefined {
  const { workspaceId, accountIdentifier, accountId } = connectSession
  if (accountIdentifier === null && accountId === null) return undefined
  // The definitions of a link take the place of its categories.
  const linkKeys = link.definitionIds.length > 0 ? [] : toKeys(link.categories)
  return {
    workspaceId,
    accountIdentifier,
    accountId,
    definitionIds: [link.definitionIds, connectSession.definitionIds].filter(isRestriction),
    typeKeys: [linkKeys, toKeys(connectSession.categories)].filter(isRestriction),
  }
}

function toKeys(categories: readonly { readonly key: string }[]): string[] {
  return categories.map(({ key }) => key)
}

function isRestriction(list: readonly string[]): boolean {
  return list.length > 0
}
