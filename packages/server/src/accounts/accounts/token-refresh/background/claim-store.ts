import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { WorkspaceId } from '../../../../access/workspaces/workspace.ts'
import type { Database, Transaction } from '../../../../platform/storage/database.ts'
import { createSharedClock, jsonRows } from '../../../../platform/storage/portable-sql.ts'
import type { AccountId } from '../../account.ts'
import {
  ACCOUNT_COLUMNS,
  selectAccounts,
  TOKEN_STATE_COLUMNS,
  toAccount,
} from '../../account-row-store.ts'
import type { PassedOver } from '../refresh-deps.ts'
import { type AccountSnapshot, type HostScope, isNotSkipped, isUnleased } from '../refresh-store.ts'

/** A claimed account that is given back, and its host if that is known. */
export interface ReleasedClaim {
  readonly accountId: AccountId
  readonly workspaceId: WorkspaceId
  readonly owner: string
  readonly host: string | null
}

/**
 * The statements with which nodes share the accounts that are due. All times come from the clock that nodes share. As in every
 * write of the state, the row in `accounts` is locked first (decision 037).
 */
export function createClaimStore(database: Database, now: () => number) {
  const { now: clock, statementTime } = createSharedClock(database, now)
  const isPostgres = database.dialect === 'postgres'
  const skipLocked = isPostgres ? sql`for no key update skip locked` : sql``
  const isDue = () => sql<SqlBool>`account_tokens.refresh_at is not null
    and account_tokens.refresh_at <= ${statementTime()} and ${isUnleased(statementTime())}`
  // In a subquery, and a cross join on SQLite: whatever the statistics, the database looks up the accounts of due rows, and
  // does not begin with all accounts.
  const lockAccount = (accountId: RawBuilder<unknown>) => {
    const condition = sql`accounts.account_id = ${accountId} and accounts.deleted_at is null
      and accounts.status in ('active', 'pending', 'error')`
    return isPostgres
      ? sql`cross join lateral (select 1 from accounts where ${condition} ${skipLocked}) as locked where`
      : sql`cross join accounts where ${condition} and`
  }
  return {
    /**
     * Leases the accounts that are longest overdue and have been due since `from`, in one statement. Passes over accounts that
     * another transaction has locked, and over these hosts.
     */
    claim: (
      owner: string,
      durationMs: number,
      limit: number,
      from: number,
      skipped: readonly HostScope[],
    ) =>
      database.transaction(async (trx): Promise<AccountSnapshot[]> => {
        await keepIndexOrder(trx)
        const { rows } = await sql<ClaimedRow>`with due as (
            select account_tokens.workspace_id, account_tokens.account_id from account_tokens
            ${lockAccount(sql`account_tokens.account_id`)} ${isDue()}
              and account_tokens.refresh_at >= ${from} ${isNotSkipped(database, skipped)}
            order by account_tokens.refresh_at limit ${limit}
            ${isPostgres ? sql`for no key update of account_tokens skip locked` : sql``})
          update account_tokens set lease_owner = ${owner}, lease_until = ${clock()} + ${durationMs}
          where (workspace_id, account_id) in (select workspace_id, account_id from due)
          returning account_id, ${clock()} as at`.execute(trx)
        return rows.length === 0 ? [] : readSnapshots(trx, rows)
      }),

    /**
     * From when on accounts are due that may be claimed: before that time, all that are due go to these hosts, or are leased. The
     * current time if there are none. A claim that starts there does not read past them.
     */
    findStart: (from: number, skipped: readonly HostScope[]) =>
      database.transaction(async (trx): Promise<number> => {
        await keepIndexOrder(trx)
        const { rows } = await sql<{ start: number }>`select coalesce((
            select refresh_at from account_tokens where ${isDue()} and refresh_at >= ${from}
              ${isNotSkipped(database, skipped)} order by refresh_at limit 1), ${statementTime()}) as start`.execute(
          trx,
        )
        return Number(rows[0]?.start)
      }),

    /** Ends these leases, and stores the hosts. */
    release: (claims: readonly ReleasedClaim[]) =>
      database.transaction(async (trx) => {
        const ids = claims.map(({ accountId }) => accountId).sort()
        const accounts = trx
          .selectFrom('accounts')
          .select('account_id')
          .where('account_id', 'in', ids)
          .orderBy('account_id')
        await (isPostgres ? accounts.forNoKeyUpdate() : accounts).execute()
        const rows = claims.map(({ accountId, workspaceId, owner, host }) => ({
          account_id: accountId,
          workspace_id: workspaceId,
          owner,
          host,
        }))
        const keys = { account_id: 'text', workspace_id: 'text' } as const
        const types = { ...keys, owner: 'text', host: 'text' } as const
        await sql`update account_tokens set lease_owner = null, lease_until = null,
            token_host = coalesce(released.host, token_host)
          from ${jsonRows(database, types, rows, 'released')}
          where account_tokens.workspace_id = released.workspace_id
            and account_tokens.account_id = released.account_id
            and account_tokens.lease_owner = released.owner`.execute(trx)
      }),
  }

  /** Only the index has this order. With outdated statistics PostgreSQL would read and sort all that is due. */
  async function keepIndexOrder(trx: Transaction): Promise<void> {
    if (isPostgres) await sql`select set_config('enable_sort', 'off', true)`.execute(trx)
  }

  async function readSnapshots(
    trx: Transaction,
    claimed: readonly ClaimedRow[],
  ): Promise<AccountSnapshot[]> {
    const times = new Map(claimed.map(({ account_id, at }) => [account_id, at]))
    const rows = await selectAccounts(trx)
      .select(ACCOUNT_COLUMNS)
      .select(TOKEN_STATE_COLUMNS)
      .where('accounts.account_id', 'in', [...times.keys()])
      .execute()
    return rows.map((row) => ({ row: toAccount(row), readAt: Number(times.get(row.account_id)) }))
  }
}

interface ClaimedRow {
  readonly account_id: AccountId
  readonly at: number
}

export type ClaimStore = ReturnType<typeof createClaimStore>

/** How far the background refresh is behind, on all nodes. */
export interface RefreshBacklog {
  /** Accounts that have been due for more than a minute; `MAX_OVERDUE` stands for any larger number. */
  readonly overdue: number
  /** For how long the account that is longest overdue has been due, in milliseconds; 0 if none is. */
  readonly lagMs: number
}

/**
 * Returns a function that reads the backlog, without the accounts that this node passes over. It reads `MAX_OVERDUE` entries of
 * the index after those at most.
 */
export function createRefreshBacklogReader(
  database: Database,
  now: () => number,
  readPassedOver: () => PassedOver,
): () => Promise<RefreshBacklog> {
  const { statementTime } = createSharedClock(database, now)
  return async () => {
    const { hosts, until } = readPassedOver()
    const { rows } = await sql<{ overdue: number; lag: number | null }>`
      with due as (select refresh_at, workspace_id, token_host from account_tokens
          where refresh_at is not null and refresh_at >= ${until} and refresh_at <= ${statementTime()}
          order by refresh_at limit ${MAX_OVERDUE}),
        late as (select refresh_at from due as account_tokens where true ${isNotSkipped(database, hosts)})
      select count(case when refresh_at <= ${statementTime()} - 60000 then 1 end) as overdue,
        ${statementTime()} - min(refresh_at) as lag from late`.execute(database.read)
    const [row] = rows
    return { overdue: Number(row?.overdue ?? 0), lagMs: Math.max(0, Number(row?.lag ?? 0)) }
  }
}

/** The largest number of overdue accounts that is counted. */
export const MAX_OVERDUE = 10_000
