import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../platform/storage/database.ts'
import type { Param } from '../../platform/storage/prepared-query.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import { RESPONSE_SCHEMA } from './account.ts'
import { type AccountListFilter, isNewestFirst, type PageParams } from './account-list-filter.ts'
import {
  getOrderColumns,
  type PageShape,
  selectAccounts,
  selectEntries,
} from './account-page-select-store.ts'
import { PUBLIC_ACCOUNT_COLUMNS } from './account-row-store.ts'
import { prepareCounts } from './found-accounts-store.ts'

/** Prepares the queries of each combination of filters once: there are a few thousand, few of which are used. */
export function createPageQueries(database: Database) {
  const pages = new Map<string, ReturnType<typeof preparePage>>()
  const marks = new Map<string, ReturnType<typeof prepareMark>>()
  const counts = new Map<string, ReturnType<typeof prepareCounts>>()
  return {
    getPage: (filter: AccountListFilter, shape: PageShape) =>
      getOrCreate(pages, filter, shape, () => preparePage(database, filter, shape)),
    getMark: (filter: AccountListFilter, shape: PageShape) =>
      getOrCreate(marks, filter, shape, () => prepareMark(database, filter, shape)),
    getCounts: (filter: AccountListFilter) =>
      getOrCreate(counts, filter, { isContinued: false }, () => prepareCounts(database, filter)),
  }
}

function getOrCreate<Q>(
  prepared: Map<string, Q>,
  filter: AccountListFilter,
  { found, isContinued, isEnded = false }: PageShape,
  prepare: () => Q,
): Q {
  const { status, includeDeleted, tags = [], order, workspaceId: _, ...values } = filter
  const names = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  )
  const statusKind = status === 'active' || status === 'deleted' ? status : status && 'unusual'
  const key = [
    ...[...names, order, statusKind, tags.length, includeDeleted === true],
    ...[found, isContinued, isEnded],
  ].join()
  const query = prepared.get(key) ?? prepare()
  prepared.set(key, query)
  return query
}

function preparePage(database: Database, filter: AccountListFilter, shape: PageShape) {
  const select = (db: Kysely<Tables>, param: Param<PageParams>) =>
    selectAccounts(db, param, filter, shape)
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
            .select(getOrderColumns(filter, shape).time.as('time'))
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

/** The position of an entry of the index of the order, with the parameter `offset`. */
function prepareMark(database: Database, filter: AccountListFilter, shape: PageShape) {
  return database.prepare((db, param: Param<PageParams>) => {
    const { time, id } = getOrderColumns(filter, shape)
    return selectEntries(db, param, filter, shape)
      .select([time.as('time'), id.as('id')])
      .offset(param('offset') as Expression<number>)
  })
}

interface Aggregates {
  readonly json: RawBuilder<Uint8Array | string>
  readonly ids: RawBuilder<string | null>
}

/** Only if the response is stored in the current version. */
const STORED_COUNT = sql<number>`count(case when response_schema = ${sql.lit(RESPONSE_SCHEMA)} then response_json end)`

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
