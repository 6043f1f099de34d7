import { type RawBuilder, sql } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { createTimedCache } from '../../platform/once.ts'
import type { Database, Param } from '../../platform/storage/database.ts'
import { ACCOUNT_STATUSES, type AccountId, type AccountStatus } from './account.ts'

/** How many accounts of all workspaces have each status. */
export type AccountStatusCounts = Readonly<Record<AccountStatus, number>>

/**
 * Counts the accounts of all workspaces by status, beside other reads. A statement reads one slice of the index, so that other
 * reads have their turns in between. An account whose status changes meanwhile may be counted twice, or not at all.
 *
 * @param sliceSize entries of the index that one statement reads at most
 */
export function createAccountStatusCountStore(database: Database, sliceSize = SLICE_SIZE) {
  const preparedEnd = database.prepare((db, param: Param<Position>) =>
    db
      .selectFrom('accounts')
      .select(KEY)
      .where('deleted_at', 'is', null)
      .where(sql<boolean>`${ENTRY} > ${toTuple(param)}`)
      .orderBy('workspace_id')
      .orderBy('status')
      .orderBy('created_at')
      .orderBy('account_id')
      .limit(1)
      .offset(sliceSize - 1),
  )
  const preparedCount = database.prepare((db, param: Param<Position & EndPosition>) =>
    db
      .selectFrom('accounts')
      .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
      .where('deleted_at', 'is', null)
      .where(sql<boolean>`${ENTRY} > ${toTuple(param)}`)
      .where(sql<boolean>`${ENTRY} <= ${toTuple((name) => param(`end_${name}`))}`)
      .groupBy('status'),
  )
  return {
    async count(): Promise<AccountStatusCounts> {
      const counts = Object.fromEntries(ACCOUNT_STATUSES.map((status) => [status, 0]))
      let start: Position | undefined = BEFORE_ALL
      while (start !== undefined) {
        const [end]: Position[] = await preparedEnd.allAside('metrics', start)
        const params = { ...start, ...toEnd(end ?? AFTER_ALL) }
        for (const { status, count } of await preparedCount.allAside('metrics', params))
          counts[status] = (counts[status] ?? 0) + Number(count)
        start = end
      }
      return counts as Record<AccountStatus, number>
    },
  }
}

/** A few milliseconds of SQLite's thread. */
const SLICE_SIZE = 20_000

const KEY = ['workspace_id', 'status', 'created_at', 'account_id'] as const

/** An entry of the index of live accounts by status. */
interface Position {
  readonly workspace_id: WorkspaceId
  readonly status: string
  readonly created_at: number
  readonly account_id: AccountId
}

type EndPosition = { readonly [K in keyof Position as `end_${K}`]: Position[K] }

const BEFORE_ALL: Position = {
  workspace_id: 'wsp_',
  status: '',
  created_at: 0,
  account_id: 'acc_',
}
/** Greater than all ids. */
const AFTER_ALL: Position = { ...BEFORE_ALL, workspace_id: 'wsp_~' }

const ENTRY = sql`(${sql.join(KEY.map((column) => sql.ref(column)))})`

function toTuple(param: (name: keyof Position) => unknown): RawBuilder<unknown> {
  return sql`(${sql.join(KEY.map(param))})`
}

function toEnd({ workspace_id, status, created_at, account_id }: Position): EndPosition {
  return {
    end_workspace_id: workspace_id,
    end_status: status,
    end_created_at: created_at,
    end_account_id: account_id,
  }
}

/** Counts are this old at most: with millions of accounts each count takes seconds, of a thread or of PostgreSQL. */
const MAX_AGE_MS = 5 * 60_000

/** Counts accounts by status for metrics, at most once in five minutes, and never twice at the same time. */
export function createAccountStatusCounts(
  store: Pick<ReturnType<typeof createAccountStatusCountStore>, 'count'>,
  now: () => number,
): () => Promise<AccountStatusCounts> {
  const readOnce = createTimedCache<AccountStatusCounts>({
    maxAgeMs: MAX_AGE_MS,
    maxEntries: 1,
    now,
  })
  return () => readOnce('all', () => store.count())
}
