import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely'
import { coversWorkspace, getTenant, type WorkspaceAccess } from '../auth/caller.ts'
import { isOwnedWorkspace } from '../auth/workspace-access-store.ts'
import type { CursorPosition } from '../http/pagination.ts'
import type { Database } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import type { Param, PreparedQuery } from '../storage/prepared-query.ts'
import type { Tables } from '../storage/tables.ts'
import type { UserId } from '../users/user.ts'
import type { ReportedStatus } from './account.ts'
import {
  PUBLIC_ACCOUNT_COLUMNS,
  RESPONSE_SCHEMA,
  stringifyAccount,
  toPublicAccount,
} from './account-row-store.ts'

/** Selects accounts of one workspace. Omitted members do not filter. */
export interface AccountListFilter {
  readonly workspaceId: string
  readonly definitionId?: string | undefined
  readonly accountIdentifier?: string | undefined
  readonly linkId?: Id<'lnk'> | undefined
  readonly status?: ReportedStatus | undefined
  readonly includeDeleted?: boolean | undefined
  /** Only rows created at or before this time, in epoch milliseconds. */
  readonly createdUntil?: number | undefined
}

/** Some accounts, oldest first, as a JSON array: UTF-8 bytes on SQLite, text on PostgreSQL. */
export interface AccountPage {
  readonly json: Uint8Array | string
  readonly count: number
  /** The position of the last account; undefined if there is none. */
  readonly last: CursorPosition | undefined
}

/** Lists of accounts as JSON, of the workspaces that the caller can access. */
export function createAccountPages(database: Database) {
  const queries = createPageQueries(database)
  const toParams = (
    { userId }: WorkspaceAccess,
    filter: AccountListFilter,
    limit: number,
    after: CursorPosition | undefined,
  ) => ({ ...filter, userId, limit, afterCreatedAt: after?.createdAt, afterId: after?.id })
  return {
    /** Up to `limit` accounts after the position `after`. */
    async readPage(
      access: WorkspaceAccess,
      filter: AccountListFilter,
      limit: number,
      after: CursorPosition | undefined,
    ): Promise<AccountPage> {
      if (!coversWorkspace(access, filter.workspaceId)) return EMPTY_PAGE
      const { stored, rows } = queries(filter, after)
      const params = toParams(access, filter, limit, after)
      const readAll = <R>(query: PreparedQuery<PageParams, R>) =>
        isSlow(filter, limit) ? query.allAside(getTenant(access), params) : query.all(params)
      const [page] = await readAll(stored)
      if (page !== undefined && page.stored_count === page.count) return toPage(page)
      const accounts = (await readAll(rows)).map(toPublicAccount)
      const last = accounts.at(-1)
      return {
        json: `[${accounts.map(stringifyAccount).join()}]`,
        count: accounts.length,
        last: last && { createdAt: last.createdAt, id: last.accountId },
      }
    },

    /** Whether there are accounts after this position. */
    async hasAccountsAfter(
      access: WorkspaceAccess,
      filter: AccountListFilter,
      after: CursorPosition,
    ): Promise<boolean> {
      const { next } = queries(filter, after)
      const params = toParams(access, filter, 1, after)
      const [account] = isSlow(filter, 1)
        ? await next.allAside(getTenant(access), params)
        : await next.all(params)
      return account !== undefined
    },
  }
}

/** Whether a page blocks the event loop for too long: it has many accounts, or no index fits all of its conditions. */
function isSlow(filter: AccountListFilter, limit: number): boolean {
  const { accountIdentifier, linkId, definitionId, status, includeDeleted } = filter
  const filters = [accountIdentifier, linkId, definitionId, status].filter(
    (value) => value !== undefined,
  )
  return limit > MAX_FAST_LIMIT || filters.length + (includeDeleted === true ? 1 : 0) > 1
}

const MAX_FAST_LIMIT = 200

const EMPTY_PAGE: AccountPage = { json: '[]', count: 0, last: undefined }

interface StoredPage {
  readonly json: Uint8Array | string
  readonly count: number
  /** How many of the accounts have a response of the current schema. */
  readonly stored_count: number
  /** Their ids in the same order, separated by commas. */
  readonly ids: string | null
  readonly created_at: number | null
}

function toPage({ json, count, ids, created_at: createdAt }: StoredPage): AccountPage {
  const last =
    ids === null || createdAt === null
      ? undefined
      : { createdAt, id: ids.slice(ids.lastIndexOf(',') + 1) }
  return { json, count, last }
}

interface PageParams extends Omit<AccountListFilter, 'includeDeleted'> {
  readonly userId: UserId
  readonly limit: number
  readonly afterCreatedAt: number | undefined
  readonly afterId: string | undefined
}

/** Prepares the queries of each combination of filters once: there are a few hundred. */
function createPageQueries(database: Database) {
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
