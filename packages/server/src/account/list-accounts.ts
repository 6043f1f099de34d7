import Type, { type Static } from 'typebox'
import type { Caller } from '../caller/caller.ts'
import { cutPage, PageQuery, type Position, readPage } from '../http/page.ts'
import { Shape } from '../http/schema.ts'
import { resolveWorkspace } from '../workspace/resolve-workspace.ts'
import type { WorkspaceStore } from '../workspace/workspace-store.ts'
import type { AccountListFilter, AccountStore } from './account-store.ts'
import { ACCOUNT_STATUSES, type AccountStatus, type IntegrationAccount } from './wire/account.ts'
import { type PublicAccountRow, toAccount } from './wire/account-answer.ts'

/** The query of list integration accounts. */
export const ListAccountsQuery = Shape({
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
  ...PageQuery,
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
  readonly next: Position | undefined
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
  const page = readPage(query)
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
  const { shown, last } = cutPage(rows, page)
  return { accounts: once(shown.map(toAccount)), next: last && position(last) }
}

async function allAccounts(
  deps: ListAccountsDeps,
  caller: Caller,
  filter: AccountListFilter,
  after: Position | undefined,
): Promise<AccountList> {
  // Rows that are added meanwhile would make the answer endless.
  const bounded = { ...filter, upTo: deps.now() }
  const read = (from: Position | undefined) =>
    deps.accounts.list(caller, bounded, { limit: CHUNK, after: from })
  const first = await read(after)
  return { accounts: chunks(first, read), next: undefined }
}

async function* chunks(
  first: PublicAccountRow[],
  read: (from: Position | undefined) => Promise<PublicAccountRow[]>,
): AsyncGenerator<IntegrationAccount[]> {
  let rows = first
  while (true) {
    const { shown, last } = cutPage(rows, { limit: CHUNK })
    yield shown.map(toAccount)
    if (last === undefined) return
    rows = await read(position(last))
  }
}

async function* once(accounts: IntegrationAccount[]): AsyncGenerator<IntegrationAccount[]> {
  yield accounts
}

function position(row: PublicAccountRow): Position {
  return { createdAt: row.created_at, id: row.account_id }
}
