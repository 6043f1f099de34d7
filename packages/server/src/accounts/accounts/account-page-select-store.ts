import { type Expression, type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { isOwnedWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { Param } from '../../platform/storage/prepared-query.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import { COLUMNS, joinAccounts, withoutIndex } from './account-columns-store.ts'
import {
  type AccountListFilter,
  type Condition,
  getLifeFilter,
  getOrderedCondition,
  isByUpdate,
  isNewestFirst,
  isTag,
  listConditions,
  type PageParams,
} from './account-list-filter.ts'
import { selectFoundAccounts } from './found-accounts-store.ts'

/** How a page is read. */
export interface PageShape {
  /** The condition that finds few accounts, which are all read; undefined: accounts are read in their order. */
  readonly found?: Condition | undefined
  /** Whether the page starts after a position. */
  readonly isContinued: boolean
  /** Whether the page ends at a position, which is within the other bounds. */
  readonly isEnded?: boolean
}

type AccountsQuery = SelectQueryBuilder<Tables, 'accounts', object>

/** The accounts of a page. */
export function selectAccounts(
  db: Kysely<Tables>,
  param: Param<PageParams>,
  filter: AccountListFilter,
  shape: PageShape,
): AccountsQuery {
  const ordered = getOrderedCondition(filter)
  let query = selectRange(selectSource(db, param, filter, shape), param, filter, shape)
  for (const condition of listConditions(filter)) {
    if (condition === 'deleted') continue
    if (!isTag(condition)) {
      const isIndexed = shape.found === undefined && condition === ordered
      const column = isIndexed ? COLUMNS[condition] : withoutIndex(COLUMNS[condition])
      query = query.where(column, '=', param(condition) as Expression<string>)
    } else if (shape.found !== undefined)
      query = query.where(hasTag(param, condition, 'accounts.account_id'))
    else if (condition !== ordered)
      query = query.where(
        hasTag(param, condition, isTag(ordered) ? 'tagged_id' : 'accounts.account_id'),
      )
  }
  const isByIndex = shape.found === undefined && !isTag(ordered)
  const workspaceId = isByIndex ? 'workspace_id' : withoutIndex('workspace_id')
  return selectLife(query.where(workspaceId, '=', param('workspaceId')), filter)
}

function selectSource(
  db: Kysely<Tables>,
  param: Param<PageParams>,
  filter: AccountListFilter,
  { found }: PageShape,
): AccountsQuery {
  if (found !== undefined) return selectFoundAccounts(db, param, filter, found)
  const ordered = getOrderedCondition(filter)
  return isTag(ordered)
    ? selectTaggedAccounts(db, param, filter, ordered)
    : db.selectFrom('accounts')
}

/** The entries of the index that has accounts in the order of the filter, whether or not these meet the other conditions. */
export function selectEntries(
  db: Kysely<Tables>,
  param: Param<PageParams>,
  filter: AccountListFilter,
  shape: PageShape,
): AccountsQuery {
  const ordered = getOrderedCondition(filter)
  if (isTag(ordered)) {
    const entries = selectTagEntries(db, param, filter, ordered) as unknown as AccountsQuery
    return selectRange(entries, param, filter, shape)
  }
  const all = selectRange(db.selectFrom('accounts'), param, filter, shape)
  const query = all.where('workspace_id', '=', param('workspaceId'))
  if (ordered === undefined || ordered === 'deleted')
    return isByUpdate(filter) && getLifeFilter(filter) !== 'live'
      ? query
      : selectLife(query, filter)
  const equal = query.where(COLUMNS[ordered], '=', param(ordered) as Expression<string>)
  return selectLife(equal, filter)
}

/** Restricts a query to the bounds of the page, in its order. */
function selectRange(
  unbounded: AccountsQuery,
  param: Param<PageParams>,
  filter: AccountListFilter,
  shape: PageShape,
): AccountsQuery {
  const { after, until } = filter
  const value = <K extends keyof PageParams>(name: K) =>
    param(name) as Expression<NonNullable<PageParams[K]>>
  const { time, id } = getOrderColumns(filter, shape)
  const direction = isNewestFirst(filter) ? 'desc' : 'asc'
  const [later, notLater] = direction === 'desc' ? [sql`<`, sql`>=`] : [sql`>`, sql`<=`]
  let query = unbounded
    .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
    .orderBy(time, direction)
    .orderBy(id, direction)
    .limit(param('limit'))
  if (shape.isContinued)
    query = query.where(
      sql<boolean>`(${time}, ${id}) ${later} (${value('lastTime')}, ${value('lastId')})`,
    )
  if (shape.isEnded)
    return query.where(
      sql<boolean>`(${time}, ${id}) ${notLater} (${value('endTime')}, ${value('endId')})`,
    )
  if (after !== undefined) query = query.where(time, '>', value('after'))
  return until === undefined ? query : query.where(time, '<=', value('until'))
}

function selectLife(query: AccountsQuery, filter: AccountListFilter): AccountsQuery {
  const life = getLifeFilter(filter)
  if (life === 'live') return query.where('deleted_at', 'is', null)
  if (life === 'both') return query
  // By update, tombstones are read in the order of the index of all accounts.
  return isByUpdate(filter)
    ? query.where(sql`(deleted_at + 0)`, 'is not', null)
    : query.where('deleted_at', 'is not', null)
}

/** The columns of the order. Found accounts are sorted: as an expression, so that no index of the order is read instead. */
export function getOrderColumns(filter: AccountListFilter, { found }: PageShape) {
  const time = isByUpdate(filter) ? sql<number>`updated_at` : sql<number>`created_at`
  if (found !== undefined) return { time: sql<number>`(${time} + 0)`, id: sql<string>`account_id` }
  if (isTag(getOrderedCondition(filter)))
    return { time: sql<number>`tagged_at`, id: sql<string>`tagged_id` }
  return { time, id: sql<string>`account_id` }
}

/** The entries of a tag of the filter in the index of its order, with `tagged_at` and `tagged_id`. */
function selectTagEntries(
  db: Kysely<Tables>,
  param: Param<PageParams>,
  filter: AccountListFilter,
  tag: `tag${number}`,
) {
  const index = Number(tag.slice(3))
  const time = isByUpdate(filter) ? 'updated_at as tagged_at' : 'created_at as tagged_at'
  return db.selectFrom((eb) =>
    eb
      .selectFrom('account_tags')
      .select(['account_id as tagged_id', time])
      .where('workspace_id', '=', param('workspaceId'))
      .where('key', '=', param(`tagKey${index}`))
      .where('value', '=', param(`tagValue${index}`))
      .as('tagged'),
  )
}

/** The accounts of these entries. */
function selectTaggedAccounts(
  ...args: Parameters<typeof selectTagEntries>
): SelectQueryBuilder<Tables, 'accounts', object> {
  return joinAccounts(args[0], selectTagEntries(...args), 'tagged.tagged_id')
}

/**
 * Whether the account with this id has a tag of the filter. A scalar subquery, which the database does not turn into a join.
 */
function hasTag(
  param: Param<PageParams>,
  tag: `tag${number}`,
  accountId: 'tagged_id' | 'accounts.account_id',
) {
  const index = Number(tag.slice(3))
  return sql<boolean>`(
    select value from account_tags as other
    where other.account_id = ${sql.ref(accountId)} and key = ${param(`tagKey${index}`)}
  ) = ${param(`tagValue${index}`)}`
}
