import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely'
import { isOwnedWorkspace } from '../auth/workspace-access-store.ts'
import type { CursorPosition } from '../http/pagination.ts'
import type { Database } from '../storage/database.ts'
import type { Param } from '../storage/prepared-query.ts'
import type { Tables } from '../storage/tables.ts'
import {
  type AccountListFilter,
  isByUpdate,
  isFoundByTag,
  isNewestFirst,
  type PageParams,
} from './account-list-filter.ts'
import { PUBLIC_ACCOUNT_COLUMNS } from './account-row-store.ts'
import { RESPONSE_SCHEMA } from './schemas/account.ts'
import { hasTag, selectTaggedAccounts } from './tagged-accounts-store.ts'

/** Prepares the queries of each combination of filters once: there are a few hundred. */
export function createPageQueries(database: Database) {
  const prepared = new Map<string, ReturnType<typeof prepareQueries>>()
  return (filter: AccountListFilter, after: CursorPosition | undefined) => {
    const {
      status,
      includeDeleted,
      tags = [],
      order,
      workspaceId: _workspaceId,
      ...values
    } = filter
    const names = Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [name],
    )
    const statusKind = status === 'active' || status === 'deleted' ? status : status && 'unusual'
    const key = [
      ...names,
      order,
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
  const { json, ids } = AGGREGATES[database.dialect](filter)
  const lastTime = isNewestFirst(filter)
    ? sql<number | null>`min(time)`
    : sql<number | null>`max(time)`
  return {
    stored: database.prepare((db, param: Param<PageParams>) =>
      db
        .selectFrom(
          select(db, param)
            .select(['response_json', 'response_schema', 'account_id'])
            .select(getOrderColumns(filter).time.as('time'))
            .as('page'),
        )
        .select([
          json.as('json'),
          ids.as('ids'),
          lastTime.as('last_time'),
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
const AGGREGATES: Readonly<Record<Database['dialect'], (filter: AccountListFilter) => Aggregates>> =
  {
    sqlite: () => ({
      json: sql`cast('[' || coalesce(group_concat(response_json), '') || ']' as blob)`,
      ids: sql`group_concat(account_id)`,
    }),
    postgres: (filter) => {
      const order = isNewestFirst(filter) ? sql`time desc, account_id desc` : sql`time, account_id`
      return {
        json: sql`concat('[', string_agg(response_json, ',' order by ${order}), ']')`,
        ids: sql`string_agg(account_id, ',' order by ${order})`,
      }
    },
  }
const STORED_COUNT = sql<number>`count(case when response_schema = ${sql.lit(RESPONSE_SCHEMA)} then response_json end)`

function selectAccounts(
  db: Kysely<Tables>,
  param: Param<PageParams>,
  filter: AccountListFilter,
  isContinued: boolean,
) {
  const { status, after, until, includeDeleted, tags = [] } = filter
  const value = <K extends keyof PageParams>(name: K) =>
    param(name) as Expression<NonNullable<PageParams[K]>>
  const isByTag = isFoundByTag(filter)
  const { time, id } = getOrderColumns(filter)
  const direction = isNewestFirst(filter) ? 'desc' : 'asc'
  let query = (isByTag ? selectTaggedAccounts(db, param, filter) : db.selectFrom('accounts'))
    .where(isByTag ? withoutIndex('workspace_id') : 'workspace_id', '=', value('workspaceId'))
    .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
    .orderBy(time, direction)
    .orderBy(id, direction)
    .limit(param('limit'))
  if (status === 'deleted') query = query.where('deleted_at', 'is not', null)
  else if (status !== undefined || !includeDeleted) query = query.where('deleted_at', 'is', null)
  for (const { column, name, isIndexed } of listConditions(filter))
    query = query.where(isIndexed ? column : withoutIndex(column), '=', value(name))
  for (let index = isByTag ? 1 : 0; index < tags.length; index += 1)
    query = query.where(hasTag(param, index))
  if (after !== undefined) query = query.where(time, '>', value('after'))
  if (until !== undefined) query = query.where(time, '<=', value('until'))
  if (!isContinued) return query
  const comparison = direction === 'desc' ? sql`<` : sql`>`
  return query.where(
    sql<boolean>`(${time}, ${id}) ${comparison} (${value('lastTime')}, ${value('lastId')})`,
  )
}

/** The columns of the order. */
function getOrderColumns(filter: AccountListFilter) {
  if (isFoundByTag(filter)) return { time: sql<number>`tagged_at`, id: sql<string>`tagged_id` }
  return {
    time: isByUpdate(filter) ? sql<number>`updated_at` : sql<number>`created_at`,
    id: sql<string>`account_id`,
  }
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
