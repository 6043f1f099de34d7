import type { PortalScope } from '../../accounts/portal-account.ts'
import type { PageContext } from '../page/page-context.ts'

/** What a session may manage: what it names, within what its link allows. Undefined unless it is a portal. */
export function getPortalScope({ connectSession, link }: PageContext): PortalScope | undefined {
  if (connectSession?.mode !== 'manage' || connectSession.accountIdentifier === null)
    return undefined
  const { workspaceId, accountIdentifier } = connectSession
  const toKeys = (categories: readonly { readonly key: string }[]) =>
    categories.map(({ key }) => key)
  // The definitions of a link take the place of its categories.
  const linkKeys = link.definitionIds.length > 0 ? [] : toKeys(link.categories)
  const isRestriction = (list: readonly string[]) => list.length > 0
  return {
    workspaceId,
    accountIdentifier,
    definitionIds: [link.definitionIds, connectSession.definitionIds].filter(isRestriction),
    typeKeys: [linkKeys, toKeys(connectSession.categories)].filter(isRestriction),
  }
}
