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
import type { AccountListFilter, AccountStore } from './account-store.ts'
import { ACCOUNT_STATUSES, type AccountStatus, type IntegrationAccount } from './schemas/account.ts'
import { type PublicAccountRow, serializeAccount } from './schemas/serialize-account.ts'

/** The query of list integration accounts. */
export const ListAccountsQuery = StrictObject({
  workspaceId: Type.Optional(
    Type.String({ maxLength: 64, description: 'Workspace of the accounts.' }),
  ),
  integrationDefinitionId: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only of this definition.' }),
  ),
  accountIdentifier: Type.Optional(
    Type.String({ maxLength: 255, description: 'Only of this group.' }),
  ),
  linkId: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only made through this link.' }),
  ),
  status: Type.Optional(
    Type.Unsafe<AccountStatus>({
      type: 'string',
      enum: [...ACCOUNT_STATUSES],
      description: 'Only with this status.',
    }),
  ),
  includeDeleted: Type.Optional(Type.Boolean({ description: 'Tombstones too.' })),
  ...PaginationQuery,
})
export type ListAccountsQuery = Static<typeof ListAccountsQuery>

export interface ListAccountsDeps {
  readonly accounts: AccountStore
  readonly workspaces: WorkspaceStore
  readonly now: () => number
}

/** A page, or all accounts in chunks. */
export interface AccountList {
  readonly accounts: AsyncIterable<IntegrationAccount[]>
  /** The last row of a page that is not the last one. */
  readonly next: CursorPosition | undefined
}

/** Rows read at once when all are asked for: bounded memory, and no transaction held open. */
const CHUNK = 500

/**
 * The accounts of a workspace, oldest first (interface: List integration accounts). Without `limit` all of them, read
 * in chunks: the first is here when this resolves, so that a failing database is still told as an error.
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
  if (page.limit === undefined) return allAccounts(deps, caller, filter, page.after)
  const rows = await deps.accounts.list(caller, filter, page)
  const { items, last } = paginate(rows, page)
  return { accounts: singleChunk(items.map(serializeAccount)), next: last && toPosition(last) }
}

async function allAccounts(
  deps: ListAccountsDeps,
  caller: Caller,
  filter: AccountListFilter,
  after: CursorPosition | undefined,
): Promise<AccountList> {
  // Rows that are added meanwhile would make the answer endless.
  const boundedFilter = { ...filter, createdUntil: deps.now() }
  const readChunk = (from: CursorPosition | undefined) =>
    deps.accounts.list(caller, boundedFilter, { limit: CHUNK, after: from })
  const first = await readChunk(after)
  return { accounts: chunks(first, readChunk), next: undefined }
}

async function* chunks(
  first: PublicAccountRow[],
  readChunk: (from: CursorPosition | undefined) => Promise<PublicAccountRow[]>,
): AsyncGenerator<IntegrationAccount[]> {
  let rows = first
  while (true) {
    const { items, last } = paginate(rows, { limit: CHUNK })
    yield items.map(serializeAccount)
    if (last === undefined) return
    rows = await readChunk(toPosition(last))
  }
}

async function* singleChunk(accounts: IntegrationAccount[]): AsyncGenerator<IntegrationAccount[]> {
  yield accounts
}

function toPosition(row: PublicAccountRow): CursorPosition {
  return { createdAt: row.created_at, id: row.account_id }
}
