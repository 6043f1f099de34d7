import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountStore } from '../../accounts/accounts/account-store.ts'
import type { CursorPosition } from '../../platform/http/pagination.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import { isId } from '../../platform/storage/id.ts'
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

/** What of a link is read. */
export interface GetLinkQuery {
  /** Only accounts with this accountIdentifier. */
  readonly accountIdentifier?: string
  /** Whether the accounts are read. Default: true. */
  readonly accounts?: boolean
}

/** A link as JSON, and the position in the list of its accounts, newest first, behind which the others are. */
export interface LinkJson {
  readonly json: string
  readonly workspaceId: WorkspaceId
  readonly next: CursorPosition | undefined
}

/**
 * A link with the definitions that it allows and its newest live accounts, optionally only those with one
 * accountIdentifier (interface: Get link).
 *
 * @throws ApiError `link_not_found`
 */
export async function getLink(
  deps: GetLinkDeps,
  access: WorkspaceAccess,
  linkId: LinkId,
  query: GetLinkQuery,
): Promise<LinkJson> {
  return readLink(deps, access, await requireLink(deps, access, linkId), query)
}

/** The same, if it depends on nothing but stored data and is complete: undefined if the link can expire. */
export async function findLinkJson(
  deps: GetLinkDeps,
  access: WorkspaceAccess,
  id: string,
): Promise<string | undefined> {
  const link = isId('lnk', id) ? await deps.links.find(access, id) : undefined
  const canExpire = link?.revokedAt === null && link.expiresAt !== null
  if (link === undefined || canExpire) return undefined
  const { json, next } = await readLink(deps, access, link, {})
  return next === undefined ? json : undefined
}

async function readLink(
  deps: GetLinkDeps,
  access: WorkspaceAccess,
  link: Link,
  { accountIdentifier, accounts: hasAccounts = true }: GetLinkQuery,
): Promise<LinkJson> {
  const [accounts, { definitions, missingOAuthApps }, counts] = await Promise.all([
    hasAccounts ? deps.accounts.readLinkedAccounts(access, link, accountIdentifier) : undefined,
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
  const lists =
    accounts && `,"IntegrationAccount":${accounts.json},"integrationAccounts":${accounts.json}`
  return {
    json: `${own.slice(0, -1)}${lists ?? ''},"integrationDefinitions":${definitions}}`,
    workspaceId: link.workspaceId,
    next: await findNext(deps, access, link, accountIdentifier, accounts?.next),
  }
}

/** The position, if the link has further accounts. */
async function findNext(
  { accounts }: GetLinkDeps,
  access: WorkspaceAccess,
  { workspaceId, linkId }: Link,
  accountIdentifier: string | undefined,
  position: CursorPosition | undefined,
): Promise<CursorPosition | undefined> {
  if (position === undefined) return undefined
  const filter = { workspaceId, linkId, accountIdentifier, order: '-createdAt' } as const
  return (await accounts.hasAccountsAfter(access, filter, position)) ? position : undefined
}

const stringify = createSerializer(ExtendedLinkFields)
