import type { AccountStore } from '../accounts/account-store.ts'
import type { WorkspaceAccess } from '../auth/caller.ts'
import { createSerializer } from '../http/serializer.ts'
import { isId } from '../storage/id.ts'
import type { LinkCounterStore } from './counters/link-counter-store.ts'
import { serializeLinkStats } from './counters/link-counters.ts'
import type { Link, LinkId } from './link.ts'
import { isClosed } from './link-policy.ts'
import { type LinkStore, requireLink } from './link-store.ts'
import {
  type ReadOfferedDefinitionsDeps,
  readOfferedDefinitions,
} from './read-offered-definitions.ts'
import { ExtendedLinkFields, serializeLink } from './schemas.ts'

export interface GetLinkDeps extends ReadOfferedDefinitionsDeps {
  readonly links: LinkStore
  readonly accounts: AccountStore
  readonly linkCounters: LinkCounterStore
  readonly now: () => number
}

/**
 * A link with the definitions that it allows and its live accounts, optionally only those with one accountIdentifier
 * (interface: Get link), as JSON.
 *
 * @throws ApiError `link_not_found`
 */
export async function getLink(
  deps: GetLinkDeps,
  access: WorkspaceAccess,
  linkId: LinkId,
  accountIdentifier: string | undefined,
): Promise<string> {
  return readLink(deps, access, await requireLink(deps, access, linkId), accountIdentifier)
}

/** The same with all accounts, if it depends on nothing but stored data: undefined if the link can expire. */
export async function findLinkJson(
  deps: GetLinkDeps,
  access: WorkspaceAccess,
  id: string,
): Promise<string | undefined> {
  const link = isId('lnk', id) ? await deps.links.find(access, id) : undefined
  const canExpire = link?.revokedAt === null && link.expiresAt !== null
  return link === undefined || canExpire ? undefined : readLink(deps, access, link, undefined)
}

async function readLink(
  deps: GetLinkDeps,
  access: WorkspaceAccess,
  link: Link,
  accountIdentifier: string | undefined,
): Promise<string> {
  const [accounts, { definitions, missingOAuthApps }, counts] = await Promise.all([
    deps.accounts.readLinkedAccounts(access, link, accountIdentifier),
    readOfferedDefinitions(deps, access, link),
    deps.linkCounters.read(access, link),
  ])
  const own = stringify({
    ...serializeLink(link, [], deps.baseUrl()),
    expired: isClosed(link, deps.now()),
    missingOAuthApps: [...missingOAuthApps],
    ...serializeLinkStats(counts),
  })
  // The accounts and the definitions are JSON arrays already; the accounts occur twice.
  return `${own.slice(0, -1)},"IntegrationAccount":${accounts},"integrationAccounts":${accounts},"integrationDefinitions":${definitions}}`
}

const stringify = createSerializer(ExtendedLinkFields)
