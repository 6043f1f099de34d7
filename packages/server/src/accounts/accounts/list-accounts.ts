import { Readable } from 'node:stream'
import Type, { type Static } from 'typebox'
import { type Caller, whileAuthenticated } from '../../access/auth/caller.ts'
import { createDirectRead } from '../../access/auth/direct-reads.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { findDefinitionId } from '../../integrations/definitions/find-definition.ts'
import { definitionReference } from '../../integrations/definitions/schemas.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import { fieldError, invalidParameter } from '../../platform/errors.ts'
import {
  type CursorPosition,
  PaginationQuery,
  parsePagination,
  type TakeTurn,
  toListBody,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import { IntegrationAccount, REPORTED_STATUSES, type ReportedStatus } from './account.ts'
import {
  ACCOUNT_ORDERS,
  type AccountListFilter,
  type AccountOrder,
  isByUpdate,
  type TagFilter,
} from './account-list-filter.ts'
import { type AccountPage, RENDERED } from './account-page-store.ts'
import type { AccountStore } from './account-store.ts'

export interface ListAccountsDeps {
  readonly database: Pick<Database, 'readDataVersion'>
  readonly accounts: AccountStore
  readonly workspaces: WorkspaceStore
  readonly definitions: DefinitionStore
  readonly takeTurn: TakeTurn
  readonly now: () => number
  readonly baseUrl: () => string
}

const MAX_TAG_FILTERS = 5

/** The query parameter `tag`. */
export const tagFilters = (what: string) =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: 320, pattern: '^[A-Za-z0-9_.-]{1,64}:' }), {
      maxItems: MAX_TAG_FILTERS,
      description: `Only ${what} with this tag, such as \`plan:pro\`. Repeat the parameter for accounts that have all of several tags, at most 5.`,
    }),
  )

const Status = Type.Unsafe<ReportedStatus>({ type: 'string', enum: [...REPORTED_STATUSES] })

/** The query parameters of List integration accounts. */
const ListAccountsQuery = StrictObject({
  workspaceId: Type.Optional(
    IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace of the accounts.' }),
  ),
  integrationDefinitionId: Type.Optional(definitionReference('Only accounts of this definition')),
  accountIdentifier: Type.Optional(
    Type.String({ maxLength: 255, description: 'Only accounts with this accountIdentifier.' }),
  ),
  linkId: Type.Optional(
    IdOf<Id<'lnk'>>({ maxLength: 64, description: 'Only accounts created through this link.' }),
  ),
  integrationOAuthAppId: Type.Optional(
    IdOf<OAuthAppId>({
      maxLength: 64,
      description: 'Only live accounts whose tokens this OAuth app refreshes.',
    }),
  ),
  identityId: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'Only live accounts of this user of the provider: `identity.id`.',
    }),
  ),
  lastOkBefore: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Only live accounts whose credentials the provider has not accepted since this time, or never. Uses have a resolution of 15 minutes.',
    }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      // A line break separates name and identifier in what is searched.
      pattern: '^[^\\n]+$',
      description:
        'Only live accounts whose `integrationAccountName`, `accountIdentifier` or `identity.label` contains this text, in any case, newest first. A page searches at most 50,000 accounts, so it may be short, or empty, and have a next one.',
    }),
  ),
  status: Type.Optional(
    Type.Union([Status, Type.Array(Status, { maxItems: REPORTED_STATUSES.length })], {
      description:
        'Only accounts with this status; `deleted` lists the tombstones. Repeat the parameter for accounts with any of several.',
    }),
  ),
  tag: tagFilters('live accounts'),
  missingScope: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Only live accounts that lack this scope: it was requested and not granted, or the provider refused a request without it.',
    }),
  ),
  includeDeleted: Type.Optional(
    Type.Boolean({ description: 'Include deleted accounts (tombstones).' }),
  ),
  createdAfter: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only accounts created after this time.' }),
  ),
  updatedAfter: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only accounts updated after this time, in the order of their updates.',
    }),
  ),
  order: Type.Optional(
    Type.Unsafe<AccountOrder>({
      type: 'string',
      enum: [...ACCOUNT_ORDERS],
      description:
        'Oldest first, or with `-` newest first. Default: `-createdAt` with `q`, `updatedAt` with `updatedAfter`, otherwise `createdAt`.',
    }),
  ),
  ...PaginationQuery,
})

export const listAccountsOperation = defineOperation({
  id: 'listAccounts',
  sdk: 'accounts.list',
  method: 'GET',
  path: '/v1/integration_account',
  tag: 'Integration accounts',
  summary: 'List the integration accounts of a workspace',
  description:
    'Oldest first unless `order` says otherwise. Paginate with `limit` and `cursor`; the `Link` header has the next page.',
  scope: 'read',
  query: ListAccountsQuery,
  response: listOf(IntegrationAccount),
  returns: 'The accounts. Deleted accounts only with `includeDeleted`.',
  errors: [],
  directRead: ({ database }: ListAccountsDeps) => createDirectRead(database),
  handle: async (deps: ListAccountsDeps, caller, { query }, reply) =>
    toListBody(reply, deps.baseUrl(), await listAccounts(deps, caller, query)),
})

/** A JSON array of accounts: a page, or a stream of all. */
export interface AccountList {
  readonly json: Uint8Array | string | Readable
  /** The cursor position of the next page; undefined on the last page. */
  readonly next: CursorPosition | undefined
}

/**
 * The accounts of a workspace, oldest first unless the query has another order (interface: List integration accounts). Without `limit` it reads all of
 * them in chunks, so that memory stays bounded and no transaction stays open. The first chunk is read before the promise resolves, so a failing database still produces an error
 * response.
 *
 * @throws ApiError `workspace_not_accessible`, `invalid_parameter`
 */
export async function listAccounts(
  deps: ListAccountsDeps,
  caller: Caller,
  query: ListAccountsQuery,
): Promise<AccountList> {
  const { limit, after } = parsePagination(query)
  const order = parseOrder(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const { integrationDefinitionId: definition } = query
  const definitionId = definition && (await findDefinitionId(deps, caller, workspaceId, definition))
  if (definition !== undefined && !definitionId) return { json: '[]', next: undefined }
  const filter: AccountListFilter = {
    workspaceId,
    definitionId: definitionId || undefined,
    accountIdentifier: query.accountIdentifier,
    linkId: query.linkId,
    oauthAppId: query.integrationOAuthAppId,
    identityId: query.identityId,
    lastOkBefore: query.lastOkBefore === undefined ? undefined : Date.parse(query.lastOkBefore),
    ...parseStatuses(query.status),
    search: query.q?.toLowerCase(),
    tags: query.tag?.map(parseTag),
    missingScope: query.missingScope,
    includeDeleted: query.includeDeleted,
    ...order,
  }
  if (limit === undefined) return listAllAccounts(deps, caller, filter, after)
  const pages = await readUpTo(deps, caller, filter, limit, after)
  const last = pages.at(-1)?.next
  const hasNext = last !== undefined && (await deps.accounts.hasAccountsAfter(caller, filter, last))
  const [first] = pages
  const json = pages.length === 1 && first !== undefined ? first.json : streamPages(pages)
  return { json, next: hasNext ? last : undefined }
}

/** Up to `limit` accounts: one page if their responses are stored. Fewer if the store returns few, as it does when many do not match. */
async function readUpTo(
  deps: ListAccountsDeps,
  caller: Caller,
  filter: AccountListFilter,
  limit: number,
  after: CursorPosition | undefined,
): Promise<AccountPage[]> {
  const pages: AccountPage[] = []
  let rest = limit
  let from = after
  while (rest > 0) {
    if (limit > RENDERED) await deps.takeTurn()
    const page = await deps.accounts.readPage(caller, filter, rest, from)
    pages.push(page)
    if (page.count < Math.min(rest, RENDERED) || page.next === undefined) break
    rest -= page.count
    from = page.next
  }
  return pages
}

async function listAllAccounts(
  deps: ListAccountsDeps,
  caller: Caller,
  filter: AccountListFilter,
  after: CursorPosition | undefined,
): Promise<AccountList> {
  // Rows added during the listing could make the response endless.
  const boundedFilter = { ...filter, until: deps.now() }
  const readPage = async (from: CursorPosition | undefined) => {
    await deps.takeTurn()
    return deps.accounts.readPage(caller, boundedFilter, RENDERED, from)
  }
  const first = await readPage(after)
  if (first.next === undefined) return { json: first.json, next: undefined }
  return {
    json: streamPages(whileAuthenticated(caller, readPages(first, readPage))),
    next: undefined,
  }
}

async function* readPages(
  first: AccountPage,
  readPage: (from: CursorPosition | undefined) => Promise<AccountPage>,
): AsyncGenerator<AccountPage> {
  let page = first
  while (true) {
    yield page
    if (page.next === undefined) return
    page = await readPage(page.next)
  }
}

/**
 * One JSON array of the accounts of all pages. An error destroys the stream and with it the socket, so that clients never
 * mistake a truncated list for a complete one.
 */
export function streamPages(pages: Pages): Readable {
  return Readable.from(joinPages(pages), { objectMode: false })
}

type Pages =
  | AsyncIterable<Pick<AccountPage, 'json' | 'count'>>
  | Iterable<Pick<AccountPage, 'json' | 'count'>>

async function* joinPages(pages: Pages): AsyncGenerator<Uint8Array | string> {
  let isFirst = true
  for await (const { json, count } of pages) {
    if (count === 0) continue
    yield joinPage(json, isFirst ? '[' : ',')
    isFirst = false
  }
  yield isFirst ? '[]' : ']'
}

/** The elements of a JSON array behind another opening character; bytes are changed in place. */
function joinPage(json: Uint8Array | string, open: '[' | ','): Uint8Array | string {
  if (typeof json === 'string') return open + json.slice(1, -1)
  json[0] = open.charCodeAt(0)
  return json.subarray(0, -1)
}
type ListAccountsQuery = Static<typeof ListAccountsQuery>

/**
 * The order and its earliest time. The time of another order would have to read accounts that it does not return.
 *
 * @throws ApiError `invalid_parameter`
 */
function parseOrder(query: ListAccountsQuery): Pick<AccountListFilter, 'order' | 'after'> {
  const { createdAfter, updatedAfter, q } = query
  const byTime = updatedAfter === undefined ? 'createdAt' : 'updatedAt'
  const order = query.order ?? (q === undefined ? byTime : '-createdAt')
  if (q !== undefined && order !== '-createdAt')
    throw invalidParameter(fieldError('order', 'invalid', 'Must be -createdAt with q.'))
  const isUpdateOrder = isByUpdate({ order })
  const [own, other] = isUpdateOrder ? [updatedAfter, createdAfter] : [createdAfter, updatedAfter]
  if (other !== undefined)
    throw invalidParameter(
      fieldError(
        isUpdateOrder ? 'createdAfter' : 'updatedAfter',
        'invalid',
        `Must not be used with the order ${order}.`,
      ),
    )
  return { order, after: own === undefined ? undefined : Date.parse(own) }
}

/** One status has an index of its own. */
function parseStatuses(status: ListAccountsQuery['status'] = []) {
  const distinct = [...new Set([status].flat())].sort()
  if (distinct.length < 2) return { status: distinct[0] }
  return { statuses: distinct }
}

/** A tag of the filter. The first colon ends its key. */
export function parseTag(tag: string): TagFilter {
  const colon = tag.indexOf(':')
  return { key: tag.slice(0, colon), value: tag.slice(colon + 1) }
}
