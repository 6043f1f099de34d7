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

/** A tag that accounts must have. */
export interface TagFilter {
  readonly key: string
  readonly value: string
}

/** Selects accounts of one workspace. Omitted members do not filter. */
export interface AccountListFilter {
  readonly workspaceId: WorkspaceId
  readonly definitionId?: DefinitionId | undefined
  readonly accountIdentifier?: string | undefined
  readonly linkId?: Id<'lnk'> | undefined
  readonly status?: ReportedStatus | undefined
  /** Only live accounts that have all of these tags. */
  readonly tags?: readonly TagFilter[] | undefined
  readonly includeDeleted?: boolean | undefined
  /** Only rows created at or before this time, in epoch milliseconds. */
  readonly createdUntil?: number | undefined
}

export interface PageParams extends Omit<AccountListFilter, 'includeDeleted' | 'tags'> {
  readonly [tag: `tag${'Key' | 'Value'}${number}`]: string
  readonly userId: UserId
  readonly limit: number
  readonly afterCreatedAt: number | undefined
  readonly afterId: AccountId | undefined
}

/** Prepares the queries of each combination of filters once: there are a few hundred. */
export function createPageQueries(database: Database) {
  const prepared = new Map<string, ReturnType<typeof prepareQueries>>()
  return (filter: AccountListFilter, after: CursorPosition | undefined) => {
    const { status, includeDeleted, tags = [], workspaceId: _workspaceId, ...values } = filter
    const names = Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [name],
    )
    const statusKind = status === 'active' || status === 'deleted' ? status : status && 'unusual'
    const key = [
      ...names,
      statusKind,
      tags.length,
      includeDeleted === true,
      after !== undefined,
    ].join()
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
  const { status, createdUntil, includeDeleted, tags = [] } = filter
  const value = <K extends keyof PageParams>(name: K) =>
    param(name) as Expression<NonNullable<PageParams[K]>>
  const order = isFoundByTag(filter) ? TAG_ORDER : ACCOUNT_ORDER
  let query = selectFrom(db, param, filter)
    .where(
      isFoundByTag(filter) ? withoutIndex('workspace_id') : 'workspace_id',
      '=',
      value('workspaceId'),
    )
    .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
    .orderBy(order.time)
    .orderBy(order.id)
    .limit(param('limit'))
  if (status === 'deleted') query = query.where('deleted_at', 'is not', null)
  else if (status !== undefined || !includeDeleted) query = query.where('deleted_at', 'is', null)
  for (const { column, name, isIndexed } of listConditions(filter))
    query = query.where(isIndexed ? column : withoutIndex(column), '=', value(name))
  for (let index = isFoundByTag(filter) ? 1 : 0; index < tags.length; index += 1)
    query = query.where(hasTag(param, index))
  if (createdUntil !== undefined) query = query.where(order.time, '<=', value('createdUntil'))
  if (!isContinued) return query
  return query.where(
    sql<boolean>`(${order.time}, ${order.id}) > (${value('afterCreatedAt')}, ${value('afterId')})`,
  )
}

const ACCOUNT_ORDER = { time: sql<number>`created_at`, id: sql<string>`account_id` }
const TAG_ORDER = { time: sql<number>`tagged_at`, id: sql<string>`tagged_id` }

/**
 * Whether the accounts are found by their first tag, in the order of its index. The accounts of an `accountIdentifier` are
 * fewer than those of a tag.
 */
function isFoundByTag({ tags = [], accountIdentifier }: AccountListFilter): boolean {
  return tags.length > 0 && accountIdentifier === undefined
}

function selectFrom(db: Kysely<Tables>, param: Param<PageParams>, filter: AccountListFilter) {
  const accounts = db.selectFrom('accounts')
  if (!isFoundByTag(filter)) return accounts
  const found = db
    .selectFrom((eb) =>
      eb
        .selectFrom('account_tags')
        .select(['account_id as tagged_id', 'created_at as tagged_at'])
        .where('workspace_id', '=', param('workspaceId'))
        .where('key', '=', param('tagKey0'))
        .where('value', '=', param('tagValue0'))
        .as('tagged'),
    )
    // SQLite, which has no statistics, reads the tables of a cross join in this order.
    .crossJoin('accounts')
    .whereRef('accounts.account_id', '=', 'tagged.tagged_id')
  // The other columns are not selected by name, so the query is used as one of accounts.
  return found as unknown as typeof accounts
}

/** Whether an account has a tag of the filter. A scalar subquery, which the database does not turn into a join. */
function hasTag(param: Param<PageParams>, index: number) {
  return sql<boolean>`(
    select value from account_tags as other
    where other.account_id = accounts.account_id and key = ${param(`tagKey${index}`)}
  ) = ${param(`tagValue${index}`)}`
}

const COLUMNS = {
  accountIdentifier: 'account_identifier',
  status: 'status',
  linkId: 'link_id',
  definitionId: 'definition_id',
} as const

/** The filters, the most selective first, because SQLite has no statistics to order them by: an index serves one of them. */
function listConditions(filter: AccountListFilter) {
  const { accountIdentifier, status, linkId, definitionId } = filter
  const storedStatus = status === 'deleted' ? undefined : status
  const isUnusual = storedStatus !== 'active'
  const candidates = [
    { name: 'accountIdentifier' as const, value: accountIdentifier },
    { name: 'status' as const, value: isUnusual ? storedStatus : undefined },
    { name: 'linkId' as const, value: linkId },
    { name: 'definitionId' as const, value: definitionId },
    { name: 'status' as const, value: isUnusual ? undefined : storedStatus },
  ]
  return candidates
    .filter(({ value }) => value !== undefined)
    .map(({ name }, index) => ({
      name,
      column: COLUMNS[name],
      isIndexed: index === 0 && !isFoundByTag(filter),
    }))
}

/** The column as an expression that no index covers, so that the database uses the index of another condition. */
export function withoutIndex(
  column: 'workspace_id' | (typeof COLUMNS)[keyof typeof COLUMNS],
): RawBuilder<string> {
  return sql<string>`(${sql.ref(column)} || '')`
}
