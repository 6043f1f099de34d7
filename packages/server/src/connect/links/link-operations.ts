import Type from 'typebox'
import type { Caller, WorkspaceAccess } from '../../access/auth/caller.ts'
import { createDirectRead } from '../../access/auth/direct-reads.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { type AccountStore, MAX_LINKED_ACCOUNTS } from '../../accounts/accounts/account-store.ts'
import {
  buildNextLinkHeader,
  type CursorPosition,
  type JsonList,
  listInParts,
  type Pagination,
  PaginationQuery,
  parsePagination,
  type TakeTurn,
  toListBody,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import { createLinkOperation, updateLinkOperation } from './create-link.ts'
import type { Link, LinkId } from './link.ts'
import { type LinkCounterStore, serializeLinkStats } from './link-counter-store.ts'
import { isClosed } from './link-policy.ts'
import {
  LINK_ORDERS,
  LINK_STATES,
  type LinkFilter,
  type LinkStore,
  requireLink,
  revokeLink,
} from './link-store.ts'
import {
  type ReadOfferedDefinitionsDeps,
  readOfferedDefinitions,
} from './read-offered-definitions.ts'
import { recordLinkChange } from './record-link-change.ts'
import {
  ExtendedLink,
  ExtendedLinkFields,
  LinkAccountsQuery,
  LinkParams,
  LinkResponse,
  LinkSettings,
  serializeLink,
} from './schemas.ts'

interface GetLinkDeps extends ReadOfferedDefinitionsDeps {
  readonly database: Database
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
interface LinkJson extends Pick<Link, 'linkId' | 'workspaceId'> {
  readonly json: Uint8Array
  readonly next: CursorPosition | undefined
}

const getLinkOperation = defineOperation({
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
    createDirectRead(deps.database, async (access, id) => {
      const link = await findLasting(deps, access, id)
      return link && { json: link.json, link: buildAccountsHeader(deps.baseUrl(), link, {}) }
    }),
  handle: async (deps: GetLinkDeps, caller, { params, query }, reply) => {
    const link = await getLink(deps, caller, params.linkId, query)
    const header = buildAccountsHeader(deps.baseUrl(), link, query)
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
async function getLink(
  deps: GetLinkDeps,
  access: WorkspaceAccess,
  linkId: LinkId,
  query: GetLinkQuery,
): Promise<LinkJson> {
  return readLink(deps, access, await requireLink(deps, access, linkId), query)
}

/** The same, if it depends on nothing but stored data: undefined if the link can expire. */
async function findLasting(
  deps: GetLinkDeps,
  access: WorkspaceAccess,
  id: string,
): Promise<LinkJson | undefined> {
  const link = isId('lnk', id) ? await deps.links.find(access, id) : undefined
  const canExpire = link?.revokedAt === null && link.expiresAt !== null
  return link === undefined || canExpire ? undefined : readLink(deps, access, link, {})
}

async function readLink(
  deps: GetLinkDeps,
  access: WorkspaceAccess,
  link: Link,
  { accountIdentifier, accounts: hasAccounts = true }: GetLinkQuery,
): Promise<LinkJson> {
  // Each takes about a millisecond: those that arrive together would otherwise share one turn of the event loop.
  await deps.takeTurn()
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
    json: Buffer.concat([
      Buffer.from(`${own.slice(0, -1)}${lists ?? ''},"integrationDefinitions":`),
      definitions,
      Buffer.from('}'),
    ]),
    linkId: link.linkId,
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
  { workspaceId, linkId, next }: LinkJson,
  { accountIdentifier }: Pick<GetLinkQuery, 'accountIdentifier'>,
): string | undefined {
  if (next === undefined) return undefined
  const query = new URLSearchParams({ workspaceId, linkId, order: '-createdAt' })
  if (accountIdentifier !== undefined) query.set('accountIdentifier', accountIdentifier)
  query.set('limit', String(MAX_LINKED_ACCOUNTS))
  return buildNextLinkHeader(baseUrl, `/api/v1/integration_account?${query}`, next)
}

export interface ListLinksDeps {
  readonly links: LinkStore
  readonly accounts: AccountStore
  readonly workspaces: WorkspaceStore
  readonly linkCounters: LinkCounterStore
  readonly takeTurn: TakeTurn
  readonly now: () => number
  readonly baseUrl: () => string
}

interface ListLinksQuery {
  readonly workspaceId?: WorkspaceId
  readonly limit?: number
  readonly cursor?: string
  /** Whether the accounts are read. Default: true. */
  readonly accounts?: boolean
  /** Whether the counters are read. Default: false. */
  readonly counters?: boolean
  readonly state?: NonNullable<LinkFilter['state']>
  readonly order?: NonNullable<LinkFilter['order']>
}

const listLinksOperation = defineOperation({
  id: 'listLinks',
  sdk: 'links.list',
  method: 'GET',
  path: '/v1/link',
  tag: 'Links',
  summary: 'List the links of a workspace',
  description:
    'Returns links that are not revoked, oldest first unless `order` says otherwise, each with its 100 newest live accounts. `state` selects others. Paginate with `limit` and `cursor`; the `Link` header has the next page.',
  scope: 'read',
  query: StrictObject({
    workspaceId: Type.Optional(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
    ...LinkAccountsQuery,
    counters: Type.Optional(
      Type.Boolean({ description: 'True adds `counters` to each link. Default: false.' }),
    ),
    state: Type.Optional(
      Type.Unsafe<NonNullable<LinkFilter['state']>>({
        type: 'string',
        enum: [...LINK_STATES],
        description: 'Only links in this state. Default: open and expired ones.',
      }),
    ),
    order: Type.Optional(
      Type.Unsafe<NonNullable<LinkFilter['order']>>({
        type: 'string',
        enum: [...LINK_ORDERS],
        description: 'Oldest first (default), or with `-` newest first.',
      }),
    ),
    ...PaginationQuery,
  }),
  response: listOf(LinkResponse),
  returns: 'The links.',
  errors: [],
  handle: async (deps: ListLinksDeps, caller, { query }, reply) =>
    toListBody(reply, deps.baseUrl(), await listLinks(deps, caller, query)),
})

/** The links of a workspace, those that are not revoked and oldest first unless the query says otherwise, each with its newest live accounts (interface: List links), as JSON. */
export async function listLinks(
  deps: ListLinksDeps,
  caller: Caller,
  query: ListLinksQuery,
): Promise<JsonList> {
  const page = parsePagination(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const { state, order, accounts: hasAccounts = true } = query
  const filter = {
    state,
    order,
    now: deps.now(),
  }
  const source = {
    read: (part: Pagination) => deps.links.list(caller, workspaceId, part, filter),
    positionOf: ({ createdAt, linkId }: Link) => ({ createdAt, id: linkId }),
    serialize: async (links: readonly Link[]) => {
      const counts = query.counters === true ? await readCounters(deps, caller, links) : undefined
      return Promise.all(
        links.map((link) => stringifyLink(deps, caller, link, { hasAccounts, counts })),
      )
    },
  }
  return listInParts(source, page, {
    takeTurn: deps.takeTurn,
    reauthenticate: caller.reauthenticate,
    ...(hasAccounts ? { partSize: PART_WITH_ACCOUNTS } : {}),
  })
}

async function stringifyLink(
  { accounts, baseUrl }: ListLinksDeps,
  caller: Caller,
  link: Link,
  { hasAccounts, counts }: { readonly hasAccounts: boolean; readonly counts: Counts | undefined },
): Promise<string> {
  const own = stringifySettings(serializeLink(link, [], baseUrl()))
  const { counters } = serializeLinkStats(counts?.get(link.linkId) ?? new Map())
  const counted = counts === undefined ? '' : `,"counters":${JSON.stringify(counters)}`
  if (!hasAccounts) return `${own.slice(0, -1)}${counted}}`
  const { json } = await accounts.readLinkedAccounts(caller, link)
  return `${own.slice(0, -1)}${counted},"IntegrationAccount":${json}}`
}

type Counts = Awaited<ReturnType<LinkCounterStore['readAll']>>

/** The counters of links of one workspace. */
async function readCounters(
  { linkCounters }: Pick<ListLinksDeps, 'linkCounters'>,
  caller: Caller,
  links: readonly Link[],
): Promise<Counts> {
  const [first] = links
  if (first === undefined) return new Map()
  const linkIds = links.map(({ linkId }) => linkId)
  return linkCounters.readAll(caller, first.workspaceId, linkIds)
}

const stringifySettings = createSerializer(LinkSettings)

/** Links whose accounts are read at once, up to 100 of each. */
const PART_WITH_ACCOUNTS = 10

export interface DeleteLinkDeps extends GetLinkDeps {
  readonly database: Database
}

const deleteLinkOperation = defineOperation({
  id: 'deleteLink',
  sdk: 'links.delete',
  method: 'DELETE',
  path: '/v1/link/:linkId',
  tag: 'Links',
  summary: 'Revoke a link',
  description:
    'No further accounts can be added through the link; its accounts remain. Repeated calls return the same response.',
  scope: 'links:write',
  params: LinkParams,
  response: ExtendedLink,
  returns: 'The revoked link.',
  errors: ['link_not_found'],
  audit: 'link.revoked',
  handle: (deps: DeleteLinkDeps, caller, { params }) => deleteLink(deps, caller, params.linkId),
})

/**
 * Revokes a link: no further accounts can be added through it. Its existing accounts remain. Repeated calls return
 * the same response.
 *
 * @throws ApiError `link_not_found`
 */
export async function deleteLink(
  deps: DeleteLinkDeps,
  caller: Caller,
  linkId: LinkId,
): Promise<Uint8Array> {
  const link = await requireLink(deps, caller, linkId)
  const now = deps.now()
  await deps.database.transaction(async (trx) => {
    if (!(await revokeLink(trx, caller, linkId, now))) return
    const revoked = { ...link, updatedAt: now, revokedAt: now }
    await recordLinkChange(deps, trx, caller, now, { type: 'link.revoked', link: revoked })
  })
  return (await getLink(deps, caller, linkId, {})).json
}

export const LINK_OPERATIONS = [
  listLinksOperation,
  getLinkOperation,
  createLinkOperation,
  updateLinkOperation,
  deleteLinkOperation,
]
