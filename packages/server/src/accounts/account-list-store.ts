import { type Kysely, type RawBuilder, sql } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../auth/caller.ts'
import { ALL_ROWS, type Pagination } from '../http/pagination.ts'
import type { Database } from '../storage/database.ts'
import type { Param } from '../storage/prepared-query.ts'
import type { Tables } from '../storage/tables.ts'
import { isAccessibleWorkspace, isOwnedWorkspace } from '../workspaces/workspace-store.ts'
import type { PublicAccount, ReportedStatus } from './account.ts'
import {
  LINKED_ACCOUNT_COLUMNS,
  PUBLIC_ACCOUNT_COLUMNS,
  toPublicAccount,
} from './account-row-store.ts'

/** Selects accounts of one workspace. Omitted members do not filter. */
export interface AccountListFilter {
  readonly workspaceId: string
  readonly definitionId?: string | undefined
  readonly accountIdentifier?: string | undefined
  readonly linkId?: string | undefined
  readonly status?: ReportedStatus | undefined
  readonly includeDeleted?: boolean | undefined
  /** Only rows created at or before this time, in epoch milliseconds. */
  readonly createdUntil?: number | undefined
}

/** Lists of accounts of the workspaces that the caller can access. */
export function createAccountLists(database: Database) {
  const preparedOfLink = database.prepare((db, param: Param<LinkParams>) =>
    liveAccounts(db, param).where('link_id', '=', param('linkId')),
  )
  const preparedOfLinkByIdentifier = database.prepare(
    (db, param: Param<LinkParams & { accountIdentifier: string }>) =>
      liveAccounts(db, param)
        .where('account_identifier', '=', param('accountIdentifier'))
        .where(withoutIndex('link_id'), '=', param('linkId')),
  )
  return {
    /** Oldest first. Returns up to `limit + 1` rows, so that the caller can tell whether there is a next page. */
    async list(
      access: WorkspaceAccess,
      filter: AccountListFilter,
      page: Pagination,
    ): Promise<PublicAccount[]> {
      const rows = await listQuery(database.read, access, filter, page).execute()
      return rows.map(toPublicAccount)
    },

    /** Live accounts of a link, optionally only those with one identifier, oldest first; without their configurations. */
    async listOfLink(
      access: WorkspaceAccess,
      { workspaceId, linkId }: { readonly workspaceId: string; readonly linkId: string },
      accountIdentifier?: string,
    ): Promise<PublicAccount[]> {
      if (!coversWorkspace(access, workspaceId)) return []
      const params = { workspaceId, linkId, userId: access.userId }
      const rows =
        accountIdentifier === undefined
          ? await preparedOfLink.all(params)
          : await preparedOfLinkByIdentifier.all({ ...params, accountIdentifier })
      return rows.map(toPublicAccount)
    },

    /** Live accounts of several links, oldest first. */
    async listOfLinks(
      access: WorkspaceAccess,
      workspaceId: string,
      linkIds: readonly string[],
    ): Promise<PublicAccount[]> {
      if (linkIds.length === 0) return []
      const rows = await listQuery(database.read, access, { workspaceId }, ALL_ROWS)
        .where('link_id', 'in', [...linkIds])
        .clearOrderBy()
        // An expression, so that the order of an index of all accounts is no reason to read them all.
        .orderBy(sql`created_at + 0`)
        .orderBy('account_id')
        .execute()
      return rows.map(toPublicAccount)
    },
  }
}

interface LinkParams {
  readonly workspaceId: string
  readonly linkId: string
  readonly userId: string
}

function liveAccounts(db: Kysely<Tables>, param: Param<LinkParams>) {
  return db
    .selectFrom('accounts')
    .select(LINKED_ACCOUNT_COLUMNS)
    .where('workspace_id', '=', param('workspaceId'))
    .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('account_id')
}

type FilterColumn = 'account_identifier' | 'status' | 'link_id' | 'definition_id'

/** The filters, the one that selects the fewest accounts first: SQLite has no statistics to find out. */
function listConditions({
  accountIdentifier,
  status,
  linkId,
  definitionId,
}: AccountListFilter): { readonly column: FilterColumn; readonly value: string }[] {
  const storedStatus = status === 'deleted' ? undefined : status
  const isUnusual = storedStatus !== 'active'
  const candidates = [
    { column: 'account_identifier' as const, value: accountIdentifier },
    { column: 'status' as const, value: isUnusual ? storedStatus : undefined },
    { column: 'link_id' as const, value: linkId },
    { column: 'definition_id' as const, value: definitionId },
    { column: 'status' as const, value: isUnusual ? undefined : storedStatus },
  ]
  return candidates.flatMap(({ column, value }) => (value === undefined ? [] : [{ column, value }]))
}

/** The column as an expression that no index covers, so that the database uses the index of another condition. */
function withoutIndex(column: FilterColumn): RawBuilder<string> {
  return sql<string>`(${sql.ref(column)} || '')`
}

function listQuery(
  db: Kysely<Tables>,
  access: WorkspaceAccess,
  filter: AccountListFilter,
  page: Pagination,
) {
  const { status, createdUntil, includeDeleted } = filter
  let query = db
    .selectFrom('accounts')
    .select(PUBLIC_ACCOUNT_COLUMNS)
    .where('workspace_id', '=', filter.workspaceId)
    .where(isAccessibleWorkspace(access, filter.workspaceId))
    .orderBy('created_at')
    .orderBy('account_id')
  if (status === 'deleted') query = query.where('deleted_at', 'is not', null)
  else if (status !== undefined || !includeDeleted) query = query.where('deleted_at', 'is', null)
  const [mostSelective, ...others] = listConditions(filter)
  if (mostSelective !== undefined)
    query = query.where(mostSelective.column, '=', mostSelective.value)
  for (const { column, value } of others) query = query.where(withoutIndex(column), '=', value)
  if (createdUntil !== undefined) query = query.where('created_at', '<=', createdUntil)
  if (page.after !== undefined) {
    const { createdAt, id } = page.after
    query = query.where((eb) =>
      eb(eb.refTuple('created_at', 'account_id'), '>', eb.tuple(createdAt, id)),
    )
  }
  return page.limit === undefined ? query : query.limit(page.limit + 1)
}
