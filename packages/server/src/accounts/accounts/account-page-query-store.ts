import {
  type Compilable,
  type Expression,
  type Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
} from 'kysely'
import { isOwnedWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { Database, Param, PreparedQuery } from '../../platform/storage/database.ts'
import { isPostgres } from '../../platform/storage/portable-sql.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import { RESPONSE_SCHEMA } from './account.ts'
import {
  type AccountListFilter,
  type Condition,
  type Entries,
  getLifeFilter,
  getOrderedCondition,
  hasEntries,
  isByUpdate,
  isNewestFirst,
  isTag,
  listConditions,
  type PageParams,
} from './account-list-filter.ts'
import { PUBLIC_ACCOUNT_COLUMNS } from './account-row-store.ts'

/** How a page is read. */
export interface PageShape {
  /** The condition that finds few accounts, which are all read; undefined: accounts are read in their order. */
  readonly found?: Condition | undefined
  /** Whether the page starts after a position. */
  readonly isContinued: boolean
  /** Whether the page ends at a position, which is within the other bounds. */
  readonly isEnded?: boolean
  /** Whether entries of the index are counted, whatever text they have. */
  readonly isMark?: boolean
}

/** A page as the database has aggregated it. */
export interface StoredPage {
  readonly json: Uint8Array | string
  readonly count: number
  /** How many of the accounts have a response of the current schema. */
  readonly stored_count: number
  /** Their ids in the same order, separated by commas. */
  readonly ids: string | null
  /** The time of the last account in the order. */
  readonly last_time: number | null
}

/** Prepares the queries of each combination of filters once: there are a few thousand, few of which are used. */
export function createPageQueries(database: Database) {
  const prepareOnce = <R>(build: (page: Page) => Compilable<R>) => {
    const prepared = new Map<string, PreparedQuery<PageParams, R>>()
    return (filter: AccountListFilter, shape: PageShape): PreparedQuery<PageParams, R> => {
      const key = getKey(filter, shape)
      const query =
        prepared.get(key) ??
        database.prepare((db, param: Param<PageParams>) => build({ db, param, filter, shape }))
      prepared.set(key, query)
      return query
    }
  }
  return {
    /** The responses of the accounts of a page. */
    getStored: prepareOnce((page) => aggregateResponses(page)),
    /** The accounts of a page. */
    getRows: prepareOnce((page) => selectAccounts(page).select(PUBLIC_ACCOUNT_COLUMNS)),
    /** The id of the first account, without its response. */
    getNext: prepareOnce((page) => selectAccounts(page).select('account_id')),
    /** The position of an entry of the index of the order, with the parameter `offset`. */
    getMark: prepareOnce(selectMark),
    /** How many accounts each condition finds, in the order of {@link listFindable}, separated by commas; more than FEW are FEW + 1 or more. */
    getCounts: prepareOnce(selectCounts),
  }
}

/** What a query is built from. */
interface Page {
  readonly db: Kysely<Tables>
  readonly param: Param<PageParams>
  readonly filter: AccountListFilter
  readonly shape: PageShape
}

type AccountsQuery = SelectQueryBuilder<Tables, 'accounts', object>

function getKey(filter: AccountListFilter, { found, isContinued, isEnded = false }: PageShape) {
  const {
    status,
    statuses = [],
    includeDeleted,
    tags = [],
    order,
    workspaceId: _,
    ...values
  } = filter
  const names = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  )
  const statusKind = status === 'active' || status === 'deleted' ? status : status && 'unusual'
  return [
    ...[...names, order, statusKind, statuses.join('+'), tags.length, includeDeleted === true],
    ...[found, isContinued, isEnded],
  ].join()
}

// SQLite aggregates the rows in the order of the subquery, because that has a limit. A blob is not converted to a
// JavaScript string, which would take longer than the query.
function aggregateResponses(page: Page): Compilable<StoredPage> {
  const { db, filter } = page
  const isDescending = isNewestFirst(filter)
  const order = isDescending ? sql`time desc, account_id desc` : sql`time, account_id`
  const { json, ids } = isPostgres(db)
    ? {
        json: sql<
          Uint8Array | string
        >`concat('[', string_agg(response_json, ',' order by ${order}), ']')`,
        ids: sql<string | null>`string_agg(account_id, ',' order by ${order})`,
      }
    : {
        json: sql<
          Uint8Array | string
        >`cast('[' || coalesce(group_concat(response_json), '') || ']' as blob)`,
        ids: sql<string | null>`group_concat(account_id)`,
      }
  const accounts = selectAccounts(page)
    .select(['response_json', 'response_schema', 'account_id'])
    .select(getOrderColumns(page).time.as('time'))
  return db
    .selectFrom(accounts.as('page'))
    .select([
      json.as('json'),
      ids.as('ids'),
      (isDescending ? sql<number | null>`min(time)` : sql<number | null>`max(time)`).as(
        'last_time',
      ),
      sql<number>`count(*)`.as('count'),
      sql<number>`count(case when response_schema = ${sql.lit(RESPONSE_SCHEMA)} then response_json end)`.as(
        'stored_count',
      ),
    ])
}

function selectMark(page: Page) {
  const { time, id } = getOrderColumns(page)
  return (
    selectEntries(page)
      .select([time.as('time'), id.as('id')])
      // So that the entries are those of the index that has it, which are shorter than others.
      .$if(page.filter.search !== undefined, (query) => query.select('search_text'))
      .offset(page.param('offset') as Expression<number>)
  )
}

function selectCounts({ db, param, filter }: Page) {
  const counts = listFindable(filter).map(
    (each) => sql`(select count(*) from ${find(param, filter, each, FEW + 1)} as counted)`,
  )
  return db.selectNoFrom(sql<string>`'' || ${sql.join(counts, sql` || ',' || `)}`.as('counts'))
}

/** The accounts of a page. */
function selectAccounts(page: Page): AccountsQuery {
  const { param, filter, shape } = page
  const ordered = getOrderedCondition(filter)
  const isByIndex = shape.found === undefined
  const isByTag = isByIndex && hasEntries(ordered)
  let query = selectRange(selectSource(page), page)
  for (const condition of listConditions(filter)) {
    if (condition === 'deleted' || (isByTag && condition === ordered)) continue
    if (condition === 'search') {
      // The entries of the index are found by it already.
      if (!isByIndex) query = query.where(containsSearch(page))
    } else if (condition === 'statuses') query = query.where(hasStatus(filter))
    else if (condition === 'lastOkBefore') query = query.where(hasOldSuccess(page))
    else if (hasEntries(condition))
      query = query.where(hasEntry(page, condition, isByTag ? 'tagged_id' : 'accounts.account_id'))
    else {
      const isIndexed = isByIndex && condition === ordered
      const column = isIndexed ? COLUMNS[condition] : withoutIndex(COLUMNS[condition])
      query = query.where(column, '=', param(condition) as Expression<string>)
    }
  }
  const isByEntry = isByTag || (isByIndex && ordered === 'search')
  const workspaceId = isByIndex && !isByEntry ? 'workspace_id' : withoutIndex('workspace_id')
  return selectLife(query.where(workspaceId, '=', param('workspaceId')), filter)
}

function selectSource(page: Page): AccountsQuery {
  const { db, param, filter, shape } = page
  // The limit, which more accounts would have to pass between two queries, tells PostgreSQL that they are few.
  if (shape.found !== undefined)
    return joinAccounts(
      db,
      db.selectFrom(find(param, filter, shape.found, 2 * FEW).as('found')),
      'found.found_id',
    )
  const ordered = getOrderedCondition(filter)
  if (ordered === 'search') return joinAccounts(db, selectSearchEntries(page), 'tagged.tagged_id')
  return hasEntries(ordered)
    ? joinAccounts(db, selectTagEntries(page, ordered), 'tagged.tagged_id')
    : db.selectFrom('accounts')
}

/** The entries of the index that has accounts in the order of the filter, whether or not these meet the other conditions. */
function selectEntries(page: Page): AccountsQuery {
  const { db, param, filter } = page
  const ordered = getOrderedCondition(filter)
  if (hasEntries(ordered))
    return selectRange(selectTagEntries(page, ordered) as unknown as AccountsQuery, page)
  const all = selectRange(db.selectFrom('accounts'), page)
  const query = all.where('workspace_id', '=', param('workspaceId'))
  if (!isColumn(ordered))
    return isByUpdate(filter) && getLifeFilter(filter) !== 'live'
      ? query
      : selectLife(query, filter)
  const equal = query.where(COLUMNS[ordered], '=', param(ordered) as Expression<string>)
  return selectLife(equal, filter)
}

/** Restricts a query to the bounds of the page, in its order. */
function selectRange(unbounded: AccountsQuery, page: Page): AccountsQuery {
  const { param, filter, shape } = page
  const value = <K extends keyof PageParams>(name: K) =>
    param(name) as Expression<NonNullable<PageParams[K]>>
  const { time, id } = getOrderColumns(page)
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
  if (filter.after !== undefined) query = query.where(time, '>', value('after'))
  return filter.until === undefined ? query : query.where(time, '<=', value('until'))
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
function getOrderColumns({ filter, shape }: Page) {
  const time = isByUpdate(filter) ? sql<number>`updated_at` : sql<number>`created_at`
  if (shape.found !== undefined)
    return { time: sql<number>`(${time} + 0)`, id: sql<string>`account_id` }
  const ordered = getOrderedCondition(filter)
  if (hasEntries(ordered) || (ordered === 'search' && shape.isMark !== true))
    return { time: sql<number>`tagged_at`, id: sql<string>`tagged_id` }
  return { time, id: sql<string>`account_id` }
}

/** The entries of a tag or scope of the filter in the index of its order, with `tagged_at` and `tagged_id`. */
function selectTagEntries({ db, param, filter }: Page, tag: Entries) {
  if (tag === 'missingScope')
    return db.selectFrom((eb) =>
      eb
        .selectFrom('account_scopes')
        .select(['account_id as tagged_id', 'created_at as tagged_at'])
        .where('workspace_id', '=', param('workspaceId'))
        .where('scope', '=', param('missingScope') as Expression<string>)
        .as('tagged'),
    )
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

/** The entries of the index of texts in which the filter searches, with `tagged_at` and `tagged_id`. */
function selectSearchEntries({ db, param }: Page) {
  return db.selectFrom((eb) =>
    eb
      .selectFrom('accounts as searched')
      .select(['account_id as tagged_id', 'created_at as tagged_at'])
      .where('workspace_id', '=', param('workspaceId'))
      .where('deleted_at', 'is', null)
      .where(containsSearch({ db, param }))
      .as('tagged'),
  )
}

/** Not LIKE, which has wildcards. */
function containsSearch({ db, param }: Pick<Page, 'db' | 'param'>): RawBuilder<boolean> {
  const position = isPostgres(db) ? sql`strpos` : sql`instr`
  return sql<boolean>`${position}(search_text, ${param('search') as Expression<string>}) > 0`
}

/** Whether the last success of an account was before the time of the filter. */
function hasOldSuccess({ param }: Page): RawBuilder<boolean> {
  return sql<boolean>`coalesce((
    select last_ok_at from account_health where account_health.account_id = accounts.account_id
  ), 0) < ${param('lastOkBefore') as Expression<number>}`
}

/** Whether an account has one of the statuses of the filter, which are words of ours. */
function hasStatus(filter: AccountListFilter): RawBuilder<boolean> {
  const stored = listStored(filter).map((status) => sql.lit(status))
  const live = sql<boolean>`(deleted_at is null and (status || '') in (${sql.join(stored)}))`
  if (filter.statuses?.includes('deleted') !== true) return live
  return sql<boolean>`(${live} or deleted_at is not null)`
}

const listStored = ({ statuses = [] }: AccountListFilter) =>
  statuses.filter((status) => status !== 'deleted')

/**
 * Whether the account with this id has a tag of the filter, or lacks its scope. A scalar subquery, which the database does not turn into a join.
 */
function hasEntry({ param }: Page, tag: Entries, accountId: 'tagged_id' | 'accounts.account_id') {
  if (tag === 'missingScope')
    return sql<boolean>`(
      select scope from account_scopes as lacked
      where lacked.workspace_id = ${param('workspaceId')} and lacked.account_id = ${sql.ref(accountId)}
        and scope = ${param('missingScope') as Expression<string>}
    ) is not null`
  const index = Number(tag.slice(3))
  return sql<boolean>`(
    select value from account_tags as other
    where other.account_id = ${sql.ref(accountId)} and key = ${param(`tagKey${index}`)}
  ) = ${param(`tagValue${index}`)}`
}

/** Accounts of a condition that are few enough to read all of them for one page. */
export const FEW = 1_000

/** The conditions whose accounts an index finds, in any order. */
export function listFindable(filter: AccountListFilter): Condition[] {
  const conditions = listConditions(filter).filter((each) => each !== 'search')
  if (getLifeFilter(filter) === 'live') return conditions
  return conditions.filter((each) => INDEXED_WHEN_DELETED.has(each))
}

const INDEXED_WHEN_DELETED: ReadonlySet<Condition> = new Set([
  'accountIdentifier',
  'linkId',
  'statuses',
  'deleted',
])

/** The ids of the accounts of a condition. */
function find(
  param: Param<PageParams>,
  filter: AccountListFilter,
  condition: Condition,
  limit: number,
): RawBuilder<{ found_id: string }> {
  const parts = listParts(param, filter, condition).map(
    (where) => sql`select * from (
      select account_id as found_id from ${where}
        and ${isOwnedWorkspace(param('userId'), param('workspaceId'))} limit ${sql.lit(limit)}
    ) as part`,
  )
  return sql`(${sql.join(parts, sql` union all `)})`
}

/** Tables and conditions that together find the accounts, and maybe some that the filter does not select. */
function listParts(
  param: Param<PageParams>,
  filter: AccountListFilter,
  condition: Condition,
): RawBuilder<unknown>[] {
  const workspaceId = param('workspaceId')
  if (condition === 'missingScope')
    return [
      sql`account_scopes where workspace_id = ${workspaceId}
        and scope = ${param('missingScope') as Expression<string>}`,
    ]
  if (isTag(condition)) {
    const index = Number(condition.slice(3))
    return [
      sql`account_tags where workspace_id = ${workspaceId}
        and key = ${param(`tagKey${index}`)} and value = ${param(`tagValue${index}`)}`,
    ]
  }
  const deleted = sql`accounts where workspace_id = ${workspaceId} and deleted_at is not null`
  if (condition === 'deleted') return [deleted]
  if (condition === 'statuses')
    return [
      ...listStored(filter).map(
        (status) =>
          sql`accounts where workspace_id = ${workspaceId} and deleted_at is null and status = ${sql.lit(status)}`,
      ),
      ...(filter.statuses?.includes('deleted') ? [deleted] : []),
    ]
  if (condition === 'lastOkBefore')
    return [
      sql`last_ok_at < ${param(condition) as Expression<number>}`,
      sql`last_ok_at is null`,
    ].map((isOld) => sql`account_health where workspace_id = ${workspaceId} and ${isOld}`)
  if (condition === 'search') throw new Error('no index finds the accounts of a search')
  const equals = sql`${sql.ref(COLUMNS[condition])} = ${param(condition) as Expression<string>}`
  const live = sql`accounts where workspace_id = ${workspaceId} and deleted_at is null and ${equals}`
  const life = getLifeFilter(filter)
  if (life === 'live') return [live]
  // One index has the live and the deleted accounts of a link.
  if (condition === 'linkId')
    return [sql`accounts where ${withoutIndex('workspace_id')} = ${workspaceId} and ${equals}`]
  return life === 'deleted'
    ? [sql`${deleted} and ${equals}`]
    : [live, sql`${deleted} and ${equals}`]
}

const isColumn = (condition: Condition | undefined): condition is keyof typeof COLUMNS =>
  condition !== undefined && Object.hasOwn(COLUMNS, condition)

/** The columns of the conditions of a list of accounts. */
const COLUMNS = {
  accountIdentifier: 'account_identifier',
  status: 'status',
  linkId: 'link_id',
  oauthAppId: 'oauth_app_id',
  definitionId: 'definition_id',
  identityId: 'identity_id',
} as const

/** The column as an expression that no index covers, so that the database uses the index of another condition. */
export function withoutIndex(
  column: 'workspace_id' | (typeof COLUMNS)[keyof typeof COLUMNS],
): RawBuilder<string> {
  return sql<string>`(${sql.ref(column)} || '')`
}

/** The accounts with these ids, looked up one by one: the entries of an index that they come from are read first. */
function joinAccounts<DB, TB extends keyof DB, O>(
  db: Kysely<Tables>,
  entries: SelectQueryBuilder<DB, TB, O>,
  id: 'tagged.tagged_id' | 'found.found_id',
): SelectQueryBuilder<Tables, 'accounts', object> {
  // PostgreSQL takes the conditions on accounts for selective, and would read all accounts first; with a limit it cannot.
  const accounts = isPostgres(db)
    ? sql`lateral (select * from accounts where account_id = ${sql.ref(id)} limit 1)`
    : sql`accounts`
  // SQLite, which has no statistics, reads the tables of a cross join in this order. The columns of the entries are not selected
  // by name, so the query is used as one of accounts.
  const query = entries as unknown as SelectQueryBuilder<Tables, 'accounts', object>
  return query
    .crossJoin(accounts.as('accounts'))
    .where(sql<boolean>`accounts.account_id = ${sql.ref(id)}`) as unknown as typeof query
}
