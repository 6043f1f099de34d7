import Type from 'typebox'
import { cacheDirectRead } from '../../access/auth/cache-direct-read.ts'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { MAX_LINKED_ACCOUNTS } from '../../accounts/accounts/account-list-store.ts'
import type { AccountStore } from '../../accounts/accounts/account-store.ts'
import { buildNextLinkHeader, type CursorPosition } from '../../platform/http/pagination.ts'
import { StrictObject } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import { isId } from '../../platform/storage/id.ts'
import type { LinkCounterStore } from './counters/link-counter-store.ts'
import { serializeLinkStats } from './counters/link-counters.ts'
import type { Link, LinkId } from './link.ts'
import { LinkAccountsQuery, LinkParams } from './link-params.ts'
import { isClosed } from './link-policy.ts'
import { type LinkStore, requireLink } from './link-store.ts'
import {
  type ReadOfferedDefinitionsDeps,
  readOfferedDefinitions,
} from './read-offered-definitions.ts'
import { ExtendedLink, ExtendedLinkFields, serializeLink } from './schemas.ts'

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

export const getLinkOperation = defineOperation({
  id: 'getLink',
  sdk: 'links.get',
  method: 'GET',
  path: '/v1/link/:linkId',
  tag: 'Links',
  summary: 'Get a link with its accounts and definitions',
  description:
    'Returns the link with its 100 newest live accounts and the definitions that it allows. If it has more accounts, the `Link` header with `rel="next"` is the list of the others. Expired links are returned too, with `expired: true`.',
  scope: 'read',
  params: LinkParams,
  query: StrictObject({
    accountIdentifier: Type.Optional(
      Type.String({
        maxLength: 255,
        description: 'Only accounts with this accountIdentifier.',
      }),
    ),
    ...LinkAccountsQuery,
  }),
  response: ExtendedLink,
  returns: 'The link.',
  errors: ['link_not_found'],
  directRead: (deps: GetLinkDeps) =>
    cacheDirectRead(deps.database, (access, id) => findLinkJson(deps, access, id)),
  handle: async (deps: GetLinkDeps, caller, { params, query }, reply) => {
    const link = await getLink(deps, caller, params.linkId, query)
    const header = buildAccountsHeader(deps.baseUrl(), { ...params, ...query }, link)
    if (header !== undefined) reply.header('link', header)
    return link.json
  },
})

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

/** The accounts that a link does not contain, in the list of accounts. */
function buildAccountsHeader(
  baseUrl: string,
  filter: { readonly linkId: LinkId; readonly accountIdentifier?: string },
  { workspaceId, next }: LinkJson,
): string | undefined {
  if (next === undefined) return undefined
  const query = new URLSearchParams({ workspaceId, linkId: filter.linkId, order: '-createdAt' })
  if (filter.accountIdentifier !== undefined)
    query.set('accountIdentifier', filter.accountIdentifier)
  query.set('limit', String(MAX_LINKED_ACCOUNTS))
  return buildNextLinkHeader(baseUrl, `/api/v1/integration_account?${query}`, next)
}
