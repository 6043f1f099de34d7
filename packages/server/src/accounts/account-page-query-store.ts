import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely'
import { isOwnedWorkspace } from '../auth/workspace-access-store.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import type { CursorPosition } from '../http/pagination.ts'
import type { Database } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import type { Param } from '../storage/prepared-query.ts'
import type { Tables } from '../storage/tables.ts'
import type { UserId } from '../users/user.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { AccountId, ReportedStatus } from './account.ts'
import { PUBLIC_ACCOUNT_COLUMNS } from './account-row-store.ts'
import { RESPONSE_SCHEMA } from './schemas/account.ts'

/** Selects accounts of one workspace. Omitted members do not filter. */
export interface AccountListFilter {
  readonly workspaceId: WorkspaceId
  readonly definitionId?: DefinitionId | undefined
  readonly accountIdentifier?: string | undefined
  readonly linkId?: Id<'lnk'> | undefined
  readonly status?: ReportedStatus | undefined
  readonly includeDeleted?: boolean | undefined
  /** Only rows created at or before this time, in epoch milliseconds. */
  readonly createdUntil?: number | undefined
}

export interface PageParams extends Omit<AccountListFilter, 'includeDeleted'> {
  readonly userId: UserId
  readonly limit: number
  readonly afterCreatedAt: number | undefined
  readonly afterId: AccountId | undefined
}

/** Prepares the queries of each combination of filters once: there are a few hundred. */
export function createPageQueries(database: Database) {
  const prepared = new Map<string, ReturnType<typeof prepareQueries>>()
  return (filter: AccountListFilter, after: CursorPosition | undefined) => {
    const { status, includeDeleted, workspaceId: _workspaceId, ...values } = filter
    const names = Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [name],
    )
    const statusKind = status === 'active' || status === 'deleted' ? status : status && 'unusual'
    const key = [...names, statusKind, includeDeleted === true, after !== undefined].join()
    const queries = prepared.get(key) ?? prepareQueries(database, filter, after !== undefined)
    prepared.set(key, queries)
    return queries
  }
}

function prepareQueries(database: Database, filter: AccountListFilter, isContinued: boolean) {
  const select = (db: Kysely<Tables>, param: Param<PageParams>) =>
    selectAccounts(db, param, filter, isContinued)
  const aggregates = database.dialect === 'sqlite' ? SQLITE : POSTGRES
  return {
    stored: database.prepare((db, param: Param<PageParams>) =>
      db
        .selectFrom(
          select(db, param)
            .select(['response_json', 'response_schema', 'account_id', 'created_at'])
            .as('page'),
        )
        .select([
          aggregates.json.as('json'),
          aggregates.ids.as('ids'),
          sql<number | null>`max(created_at)`.as('created_at'),
          sql<number>`count(*)`.as('count'),
          STORED_COUNT.as('stored_count'),
        ]),
    ),
    rows: database.prepare((db, param: Param<PageParams>) =>
      select(db, param).select(PUBLIC_ACCOUNT_COLUMNS),
    ),
    next: database.prepare((db, param: Param<PageParams>) =>
      select(db, param).select('account_id'),
    ),
  }
}

interface Aggregates {
  readonly json: RawBuilder<Uint8Array | string>
  readonly ids: RawBuilder<string | null>
}

// SQLite aggregates the rows in the order of the subquery, because that has a limit. A blob is not converted to a
// JavaScript string, which would take longer than the query.
const SQLITE: Aggregates = {
  json: sql`cast('[' || coalesce(group_concat(response_json), '') || ']' as blob)`,
  ids: sql`group_concat(account_id)`,
}
const POSTGRES: Aggregates = {
  json: sql`concat('[', string_agg(response_json, ',' order by created_at, account_id), ']')`,
  ids: sql`string_agg(account_id, ',' order by created_at, account_id)`,
}
const STORED_COUNT = sql<number>`count(case when response_schema = ${sql.lit(RESPONSE_SCHEMA)} then response_json end)`

function selectAccounts(
  db: Kysely<Tables>,
  param: Param<PageParams>,
  filter: AccountListFilter,
  isContinued: boolean,
) {
  const { status, createdUntil, includeDeleted } = filter
  const value = <K extends keyof PageParams>(name: K) =>
    param(name) as Expression<NonNullable<PageParams[K]>>
  let query = db
    .selectFrom('accounts')
    .where('workspace_id', '=', param('workspaceId'))
    .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
    .orderBy('created_at')
    .orderBy('account_id')
    .limit(param('limit'))
  if (status === 'deleted') query = query.where('deleted_at', 'is not', null)
  else if (status !== undefined || !includeDeleted) query = query.where('deleted_at', 'is', null)
  const [mostSelective, ...others] = listConditions(filter)
  if (mostSelective !== undefined)
    query = query.where(mostSelective.column, '=', value(mostSelective.name))
  for (const { column, name } of others) query = query.where(withoutIndex(column), '=', value(name))
  if (createdUntil !== undefined) query = query.where('created_at', '<=', value('createdUntil'))
  if (!isContinued) return query
  return query.where((eb) =>
    eb(
      eb.refTuple('created_at', 'account_id'),
      '>',
      eb.tuple(value('afterCreatedAt'), value('afterId')),
    ),
  )
}

const COLUMNS = {
  accountIdentifier: 'account_identifier',
  status: 'status',
  linkId: 'link_id',
  definitionId: 'definition_id',
} as const

/** The filters, the most selective first, because SQLite has no statistics to order them by. */
function listConditions({ accountIdentifier, status, linkId, definitionId }: AccountListFilter) {
  const storedStatus = status === 'deleted' ? undefined : status
  const isUnusual = storedStatus !== 'active'
  const candidates = [
    { name: 'accountIdentifier' as const, value: accountIdentifier },
    { name: 'status' as const, value: isUnusual ? storedStatus : undefined },
    { name: 'linkId' as const, value: linkId },
    { name: 'definitionId' as const, value: definitionId },
    { name: 'status' as const, value: isUnusual ? undefined : storedStatus },
  ]
  return candidates.flatMap(({ name, value }) =>
    value === undefined ? [] : [{ name, column: COLUMNS[name] }],
  )
}

/** The column as an expression that no index covers, so that the database uses the index of another condition. */
export function withoutIndex(column: (typeof COLUMNS)[keyof typeof COLUMNS]): RawBuilder<string> {
  return sql<string>`(${sql.ref(column)} || '')`
}
