import { coversWorkspace, getTenant, type WorkspaceAccess } from '../../access/auth/caller.ts'
import type { CursorPosition } from '../../platform/http/pagination.ts'
import type { Database, PreparedQuery } from '../../platform/storage/database.ts'
import { type AccountId, type PublicAccount, stringifyAccount } from './account.ts'
import {
  type AccountListFilter,
  isByUpdate,
  isIndexed,
  isNewestFirst,
  isOfLiveAccounts,
  type PageParams,
  type TagFilter,
} from './account-list-filter.ts'
import {
  createPageQueries,
  FEW,
  listFindable,
  type StoredPage,
} from './account-page-query-store.ts'
import { toPublicAccount } from './account-row-store.ts'

/** Some accounts, in the order of the filter, as a JSON array: UTF-8 bytes on SQLite, text on PostgreSQL. */
export interface AccountPage {
  readonly json: Uint8Array | string
  readonly count: number
  /** Where the next page starts, if there may be one: also after a page that is short, or empty, because few accounts match. */
  readonly next: CursorPosition | undefined
}

/** Lists of accounts as JSON, of the workspaces that the caller can access. */
export function createAccountPages(database: Database) {
  const queries = createPageQueries(database)
  const toParams = (
    { userId }: WorkspaceAccess,
    filter: AccountListFilter,
    limit: number,
    after: CursorPosition | undefined,
  ) => ({
    ...filter,
    ...toTagParams(filter.tags),
    userId,
    limit,
    lastTime: after?.createdAt,
    lastId: after?.id as AccountId | undefined,
  })
  /** How to read accounts that no index has: by their rarest condition, or, if it is not rare, in windows. */
  const planPage = async (access: WorkspaceAccess, filter: AccountListFilter) => {
    if (isIndexed(filter)) return { found: undefined, isWindow: false }
    const conditions = listFindable(filter)
    if (conditions.length === 0) return { found: undefined, isWindow: true }
    const counts = queries.getCounts(filter, { isContinued: false })
    const row = await counts.first(toParams(access, filter, 1, undefined))
    const all = row?.counts.split(',').map(Number) ?? []
    const least = Math.min(...all)
    const found = least > FEW ? undefined : conditions[all.indexOf(least)]
    return { found, isWindow: found === undefined }
  }
  /** The position of the last entry of the window after the start; undefined if it has fewer entries. */
  const findEnd = async (
    access: WorkspaceAccess,
    filter: AccountListFilter,
    start: CursorPosition | undefined,
  ): Promise<CursorPosition | undefined> => {
    const isSearch = filter.search !== undefined
    const mark = queries.getMark(filter, { isContinued: start !== undefined, isMark: true })
    const offset = (isSearch ? SEARCH_WINDOW : WINDOW) - 1
    const params = { ...toParams(access, filter, 1, start), offset }
    const [entry] = isSearch
      ? await mark.allAside(getTenant(access), params)
      : await mark.all(params)
    return entry && { createdAt: entry.time, id: entry.id }
  }
  /** Up to `limit` accounts after the position `after`; at most RENDERED if some have no stored response. */
  const readPage = async (
    access: WorkspaceAccess,
    filter: AccountListFilter,
    limit: number,
    after: CursorPosition | undefined,
  ): Promise<AccountPage> => {
    if (!coversWorkspace(access, filter.workspaceId)) return EMPTY_PAGE
    if (filter.status === 'deleted' && isOfLiveAccounts(filter)) return EMPTY_PAGE
    const { bounded, start } = toBounds(filter, after)
    const { found, isWindow } = await planPage(access, filter)
    const end = isWindow ? await findEnd(access, bounded, start) : undefined
    const shape = { found, isContinued: start !== undefined, isEnded: end !== undefined }
    const params = {
      ...toParams(access, bounded, limit, start),
      endTime: end?.createdAt,
      endId: end?.id,
    }
    const [page] = await run(queries.getStored(bounded, shape), access, filter, params)
    if (page !== undefined && page.stored_count === page.count) {
      const { json, count, last } = toPage(page)
      return { json, count, next: count === limit ? last : end }
    }
    const rendered = { ...params, limit: Math.min(limit, RENDERED) }
    const rows = await run(queries.getRows(bounded, shape), access, filter, rendered)
    const { json, count, last } = renderPage(rows.map(toPublicAccount), filter)
    return { json, count, next: count === rendered.limit ? last : end }
  }
  return {
    readPage,

    /** Whether there may be accounts after this position: in a list that is read in windows, a later page may have them. */
    async hasAccountsAfter(
      access: WorkspaceAccess,
      filter: AccountListFilter,
      after: CursorPosition,
    ): Promise<boolean> {
      if (isIndexed(filter)) {
        const { bounded, start } = toBounds(filter, after)
        const query = queries.getNext(bounded, { isContinued: start !== undefined })
        return (await query.first(toParams(access, bounded, 1, start))) !== undefined
      }
      const { count, next } = await readPage(access, filter, 1, after)
      return count > 0 || next !== undefined
    },
  }
}

/**
 * Accounts that are rendered in one turn of the event loop: enough that SQLite reads them beside the main thread, and few enough
 * that other requests do not wait.
 */
export const RENDERED = 250

/** Entries of an index that one page reads at most, if it has to read those that do not match, too. */
const WINDOW = 2_000

/** The same for a search: the index has the text. */
const SEARCH_WINDOW = 50_000

/**
 * The position where the page starts: that of the cursor or, if it is later, the start of the filter. SQLite would use only
 * one of two conditions, and skip rows one by one for the other.
 */
function toBounds(filter: AccountListFilter, cursor: CursorPosition | undefined) {
  const isDescending = isNewestFirst(filter)
  const time = isDescending ? filter.until : filter.after
  const bounded = { ...filter, [isDescending ? 'until' : 'after']: undefined }
  if (time === undefined) return { bounded, start: cursor }
  const isPast = isDescending
    ? cursor !== undefined && cursor.createdAt <= time
    : cursor !== undefined && cursor.createdAt > time
  return { bounded, start: isPast ? cursor : { createdAt: time, id: AFTER_ALL_IDS } }
}

/** Greater than all ids, so that of the accounts of this millisecond none is later, and all are earlier. */
const AFTER_ALL_IDS = '~'

/** Parameters have no lists: each key and each value is one. */
function toTagParams(tags: readonly TagFilter[] = []): Record<`tag${string}${number}`, string> {
  const entries = tags.flatMap(({ key, value }, index) => [
    [`tagKey${index}`, key],
    [`tagValue${index}`, value],
  ])
  return Object.fromEntries(entries)
}

/** Runs a query on the main thread, or where it does not block it. */
function run<R>(
  query: PreparedQuery<PageParams, R>,
  access: WorkspaceAccess,
  filter: AccountListFilter,
  params: PageParams,
): Promise<R[]> {
  return isSlow(filter, params.limit)
    ? query.allAside(getTenant(access), params)
    : query.all(params)
}

/** Whether a page blocks the event loop for too long: it has many accounts, or no index fits all of its conditions. */
function isSlow(filter: AccountListFilter, limit: number): boolean {
  return limit > MAX_FAST_LIMIT || !isIndexed(filter)
}

const MAX_FAST_LIMIT = 200

const EMPTY_PAGE: AccountPage = { json: '[]', count: 0, next: undefined }

type RenderedPage = Pick<AccountPage, 'json' | 'count'> & { last: CursorPosition | undefined }

function renderPage(accounts: readonly PublicAccount[], filter: AccountListFilter): RenderedPage {
  const last = accounts.at(-1)
  return {
    json: `[${accounts.map(stringifyAccount).join()}]`,
    count: accounts.length,
    last: last && {
      createdAt: isByUpdate(filter) ? last.updatedAt : last.createdAt,
      id: last.accountId,
    },
  }
}

function toPage({ json, count, ids, last_time: createdAt }: StoredPage): RenderedPage {
  const last =
    ids === null || createdAt === null
      ? undefined
      : { createdAt, id: ids.slice(ids.lastIndexOf(',') + 1) }
  return { json, count, last }
}
