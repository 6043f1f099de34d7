import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import Type, { type Static } from 'typebox'
import type { Caller } from '../auth/caller.ts'
import {
  type CursorPosition,
  PaginationQuery,
  paginate,
  parsePagination,
} from '../http/pagination.ts'
import { StrictObject } from '../http/schema.ts'
import { resolveWorkspace } from '../workspaces/resolve-workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import { type PublicAccount, REPORTED_STATUSES, type ReportedStatus } from './account.ts'
import type { AccountListFilter } from './account-list-store.ts'
import type { AccountStore } from './account-store.ts'
import { type IntegrationAccount, serializeAccount } from './schemas/account.ts'

/** The query parameters of List integration accounts. */
export const ListAccountsQuery = StrictObject({
  workspaceId: Type.Optional(
    Type.String({ maxLength: 64, description: 'Workspace of the accounts.' }),
  ),
  integrationDefinitionId: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only accounts of this definition.' }),
  ),
  accountIdentifier: Type.Optional(
    Type.String({ maxLength: 255, description: 'Only accounts with this accountIdentifier.' }),
  ),
  linkId: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only accounts created through this link.' }),
  ),
  status: Type.Optional(
    Type.Unsafe<ReportedStatus>({
      type: 'string',
      enum: [...REPORTED_STATUSES],
      description: 'Only accounts with this status; `deleted` lists the tombstones.',
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
  readonly now: () => number
}

/** One page, or all accounts in chunks. */
export interface AccountList {
  readonly accounts: AsyncIterable<IntegrationAccount[]>
  /** The cursor position of the next page; undefined on the last page. */
  readonly next: CursorPosition | undefined
}

/**
 * Rows per query when there is no `limit`: memory stays bounded, no transaction stays open, and other requests wait for
 * no more than a chunk.
 */
const CHUNK = 100

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
  const page = parsePagination(query)
  const filter: AccountListFilter = {
    workspaceId: await resolveWorkspace(deps.workspaces, caller, query.workspaceId),
    definitionId: query.integrationDefinitionId,
    accountIdentifier: query.accountIdentifier,
    linkId: query.linkId,
    status: query.status,
    includeDeleted: query.includeDeleted,
  }
  if (page.limit === undefined) return listAllAccounts(deps, caller, filter, page.after)
  const rows = await deps.accounts.list(caller, filter, page)
  const { items, last } = paginate(rows, page)
  return { accounts: singleChunk(items.map(serializeAccount)), next: last && toPosition(last) }
}

async function listAllAccounts(
  deps: ListAccountsDeps,
  caller: Caller,
  filter: AccountListFilter,
  after: CursorPosition | undefined,
): Promise<AccountList> {
  // Rows added during the listing could make the response endless.
  const boundedFilter = { ...filter, createdUntil: deps.now() }
  const readChunk = (from: CursorPosition | undefined) =>
    deps.accounts.list(caller, boundedFilter, { limit: CHUNK, after: from })
  const first = await readChunk(after)
  return { accounts: chunks(first, readChunk), next: undefined }
}

async function* chunks(
  first: PublicAccount[],
  readChunk: (from: CursorPosition | undefined) => Promise<PublicAccount[]>,
): AsyncGenerator<IntegrationAccount[]> {
  let rows = first
  while (true) {
    const { items, last } = paginate(rows, { limit: CHUNK })
    yield items.map(serializeAccount)
    if (last === undefined) return
    // SQLite answers within the turn, and a fast client always accepts more: other requests would wait until the end.
    await setImmediate()
    rows = await readChunk(toPosition(last))
  }
}

async function* singleChunk(accounts: IntegrationAccount[]): AsyncGenerator<IntegrationAccount[]> {
  yield accounts
}

function toPosition(row: PublicAccount): CursorPosition {
  return { createdAt: row.createdAt, id: row.accountId }
}

/**
 * A JSON array of accounts, written chunk by chunk in bounded memory. An error while streaming destroys the socket,
 * so that clients never mistake a truncated list for a complete one.
 *
 * @param serialize serializes one account with the response schema, which lists the allowed fields
 */
export function streamAccounts(
  accounts: AsyncIterable<IntegrationAccount[]>,
  serialize: (account: IntegrationAccount) => string,
): Readable {
  return Readable.from(jsonChunks(accounts, serialize), { objectMode: false })
}

async function* jsonChunks(
  accounts: AsyncIterable<IntegrationAccount[]>,
  serialize: (account: IntegrationAccount) => string,
): AsyncGenerator<string> {
  let separator = '['
  for await (const batch of accounts) {
    if (batch.length === 0) continue
    yield separator + batch.map(serialize).join(',')
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}
