import { Readable } from 'node:stream'
import Type, { type Static } from 'typebox'
import type { Caller } from '../auth/caller.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { findDefinitionId } from '../definitions/find-definition.ts'
import { definitionReference } from '../definitions/schemas.ts'
import { type CursorPosition, PaginationQuery, parsePagination } from '../http/pagination.ts'
import { IdOf, StrictObject } from '../http/schema.ts'
import type { Id } from '../storage/id.ts'
import { resolveWorkspace } from '../workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import { REPORTED_STATUSES, type ReportedStatus } from './account.ts'
import type { AccountListFilter, TagFilter } from './account-page-query-store.ts'
import type { AccountPage } from './account-page-store.ts'
import type { AccountStore } from './account-store.ts'

const MAX_TAG_FILTERS = 5

/** The query parameters of List integration accounts. */
export const ListAccountsQuery = StrictObject({
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
  status: Type.Optional(
    Type.Unsafe<ReportedStatus>({
      type: 'string',
      enum: [...REPORTED_STATUSES],
      description: 'Only accounts with this status; `deleted` lists the tombstones.',
    }),
  ),
  tag: Type.Optional(
    Type.Array(Type.String({ maxLength: 320, pattern: '^[A-Za-z0-9_.-]{1,64}:' }), {
      maxItems: MAX_TAG_FILTERS,
      description:
        'Only live accounts with this tag, such as `plan:pro`. Repeat the parameter for accounts that have all of several tags, at most 5.',
    }),
  ),
  includeDeleted: Type.Optional(
    Type.Boolean({ description: 'Include deleted accounts (tombstones).' }),
  ),
  ...PaginationQuery,
})
export type ListAccountsQuery = Static<typeof ListAccountsQuery>

export interface ListAccountsDeps {
  readonly accounts: AccountStore
  readonly workspaces: WorkspaceStore
  readonly definitions: DefinitionStore
  readonly now: () => number
}

/** A JSON array of accounts: a page, or a stream of all. */
export interface AccountList {
  readonly json: Uint8Array | string | Readable
  /** The cursor position of the next page; undefined on the last page. */
  readonly next: CursorPosition | undefined
}

/**
 * Accounts per query when there is no `limit`: memory stays bounded and no transaction stays open. Enough that SQLite reads
 * them beside the main thread, and few enough that other requests do not wait.
 */
const CHUNK = 250

/**
 * The accounts of a workspace, oldest first (interface: List integration accounts). Without `limit` it reads all of
 * them in chunks. The first chunk is read before the promise resolves, so a failing database still produces an error
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
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const { integrationDefinitionId: definition } = query
  const definitionId = definition && (await findDefinitionId(deps, caller, workspaceId, definition))
  if (definition !== undefined && !definitionId) return { json: '[]', next: undefined }
  const filter: AccountListFilter = {
    workspaceId,
    definitionId: definitionId || undefined,
    accountIdentifier: query.accountIdentifier,
    linkId: query.linkId,
    status: query.status,
    tags: query.tag?.map(parseTag),
    includeDeleted: query.includeDeleted,
  }
  if (limit === undefined) return listAllAccounts(deps, caller, filter, after)
  const { json, count, last } = await deps.accounts.readPage(caller, filter, limit, after)
  const hasNext =
    count === limit &&
    last !== undefined &&
    (await deps.accounts.hasAccountsAfter(caller, filter, last))
  return { json, next: hasNext ? last : undefined }
}

/** A tag of the filter. The first colon ends its key. */
function parseTag(tag: string): TagFilter {
  const colon = tag.indexOf(':')
  return { key: tag.slice(0, colon), value: tag.slice(colon + 1) }
}

async function listAllAccounts(
  deps: ListAccountsDeps,
  caller: Caller,
  filter: AccountListFilter,
  after: CursorPosition | undefined,
): Promise<AccountList> {
  // Rows added during the listing could make the response endless.
  const boundedFilter = { ...filter, createdUntil: deps.now() }
  const readPage = (from: CursorPosition | undefined) =>
    deps.accounts.readPage(caller, boundedFilter, CHUNK, from)
  const first = await readPage(after)
  if (first.count < CHUNK) return { json: first.json, next: undefined }
  return { json: streamPages(readPages(first, readPage)), next: undefined }
}

async function* readPages(
  first: AccountPage,
  readPage: (from: CursorPosition | undefined) => Promise<AccountPage>,
): AsyncGenerator<AccountPage> {
  let page = first
  while (true) {
    yield page
    if (page.count < CHUNK) return
    page = await readPage(page.last)
  }
}

/**
 * One JSON array of the accounts of all pages. An error destroys the stream and with it the socket, so that clients never
 * mistake a truncated list for a complete one.
 */
export function streamPages(pages: AsyncIterable<Pick<AccountPage, 'json' | 'count'>>): Readable {
  return Readable.from(joinPages(pages), { objectMode: false })
}

async function* joinPages(
  pages: AsyncIterable<Pick<AccountPage, 'json' | 'count'>>,
): AsyncGenerator<Uint8Array | string> {
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
