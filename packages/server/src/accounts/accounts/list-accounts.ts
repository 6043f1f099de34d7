import { Readable } from 'node:stream'
import type { Caller } from '../../access/auth/caller.ts'
import { whileAuthenticated } from '../../access/auth/while-authenticated.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { resolveWorkspace } from '../../access/workspaces/resolve-workspace.ts'
import type { WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { findDefinitionId } from '../../integrations/definitions/find-definition.ts'
import {
  buildNextLinkHeader,
  type CursorPosition,
  parsePagination,
} from '../../platform/http/pagination.ts'
import { listOf } from '../../platform/http/schema.ts'
import type { TakeTurn } from '../../platform/http/turns.ts'
import type { AccountListFilter } from './account-list-filter.ts'
import { type AccountPage, RENDERED } from './account-page-store.ts'
import type { AccountStore } from './account-store.ts'
import { ListAccountsQuery, parseOrder, parseTag } from './list-accounts-query.ts'
import { IntegrationAccount } from './schemas/account.ts'

export interface ListAccountsDeps {
  readonly accounts: AccountStore
  readonly workspaces: WorkspaceStore
  readonly definitions: DefinitionStore
  readonly takeTurn: TakeTurn
  readonly now: () => number
  readonly baseUrl: () => string
}

export const listAccountsOperation = defineOperation({
  id: 'listAccounts',
  sdk: 'accounts.list',
  method: 'GET',
  path: '/v1/integration_account',
  tag: 'Integration accounts',
  summary: 'List the integration accounts of a workspace',
  description:
    'Returns a plain array, oldest first unless `order` says otherwise. Paginate with `limit` and `cursor`; the `Link` header has the next page.',
  scope: 'read',
  query: ListAccountsQuery,
  response: listOf(IntegrationAccount),
  returns: 'The accounts. Deleted accounts only with `includeDeleted`.',
  errors: [],
  handle: async (deps: ListAccountsDeps, caller, { query }, reply) => {
    const { json, next } = await listAccounts(deps, caller, query)
    if (next)
      reply.header('link', buildNextLinkHeader(deps.baseUrl(), reply.request.originalUrl, next))
    return json
  },
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
    status: query.status,
    tags: query.tag?.map(parseTag),
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
