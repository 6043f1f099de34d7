import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database, Transaction } from '../../../storage/database.ts'
import { jsonRows } from '../../../storage/json-rows.ts'
import { createSharedClock } from '../../../storage/shared-clock.ts'
import type { WorkspaceId } from '../../../workspaces/workspace.ts'
import type { AccountId } from '../../account.ts'
import { ACCOUNT_COLUMNS, toAccount } from '../../account-row-store.ts'
import { selectAccounts, TOKEN_STATE_COLUMNS } from '../../account-token-store.ts'
import { type AccountSnapshot, isUnleased } from '../refresh-store.ts'

/** A token host, for all workspaces or for one. */
export interface HostScope {
  readonly host: string
  readonly workspaceId: WorkspaceId | null
}

/** A host that is paused, and for how long, in milliseconds. */
export interface PausedScope extends HostScope {
  readonly pauseMs: number
}

/** A claimed account that is given back, and for how long it is not claimed again. Null: it stays due. */
export interface ReleasedClaim {
  readonly accountId: AccountId
  readonly owner: string
  readonly host: string | null
  readonly deferMs: number | null
}

/**
 * The statements with which nodes share the accounts that are due. All times come from the clock that nodes share. As in every
 * write of the state, the row in `accounts` is locked first (decision 037).
 */
export function createClaimStore(database: Database, now: () => number) {
  const { now: clock, statementTime } = createSharedClock(database, now)
  const isPostgres = database.dialect === 'postgres'
  const skipLocked = isPostgres ? sql`for no key update skip locked` : sql``
  const random = isPostgres ? sql`random()` : sql`(abs(random() % 1000000) / 1000000.0)`
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
     * Leases the accounts that are longest overdue, in one statement. Passes over accounts that another transaction has locked,
     * and over these hosts.
     */
    claim: (owner: string, durationMs: number, limit: number, skipped: readonly HostScope[]) =>
      database.transaction(async (trx): Promise<AccountSnapshot[]> => {
        // Only the index has this order. With outdated statistics PostgreSQL would read and sort all that is due.
        if (isPostgres) await sql`select set_config('enable_sort', 'off', true)`.execute(trx)
        const { rows } = await sql<ClaimedRow>`with due as (
            select account_tokens.workspace_id, account_tokens.account_id from account_tokens
            ${lockAccount(sql`account_tokens.account_id`)} ${isDue()} ${isNotSkipped(skipped)}
            order by account_tokens.refresh_at limit ${limit}
            ${isPostgres ? sql`for no key update of account_tokens skip locked` : sql``})
          update account_tokens set lease_owner = ${owner}, lease_until = ${clock()} + ${durationMs}
          where (workspace_id, account_id) in (select workspace_id, account_id from due)
          returning account_id, ${clock()} as at`.execute(trx)
        return rows.length === 0 ? [] : readSnapshots(trx, rows)
      }),

    /**
     * Moves accounts of paused hosts that are due and not leased by the length of the pause, up to twice, so that they are not in
     * front of others. An account that failed before waits no longer than after one more failure. Considers the accounts that
     * are longest overdue; returns how many it moved, `DEFER_LIMIT` at most.
     */
    async defer(paused: readonly PausedScope[]): Promise<number> {
      const scopes = paused.map(({ pauseMs, ...scope }) => ({
        ...toScopeRow(scope),
        defer_ms: Math.ceil(pauseMs),
      }))
      const { rows } = await database.transaction((trx) =>
        sql`with due as (
            select first.workspace_id, first.account_id, first.defer_ms from
              (select workspace_id, account_id, defer_ms from
                (select workspace_id, account_id, token_host from account_tokens
                  where refresh_at is not null and refresh_at <= ${statementTime()}
                  order by refresh_at limit ${DEFER_WINDOW}) as longest
                join ${jsonRows(database, { ...SCOPE_TYPES, defer_ms: 'bigint' }, scopes, 'paused')}
                  on paused.host = longest.token_host and
                    (paused.scope is null or paused.scope = longest.workspace_id)
                limit ${DEFER_LIMIT}) as first
            ${lockAccount(sql`first.account_id`)} exists (select 1 from account_tokens
              where account_tokens.workspace_id = first.workspace_id
                and account_tokens.account_id = first.account_id and ${isDue()} ${skipLocked}))
          update account_tokens set refresh_at = ${getDeferredTime(sql`due.defer_ms`)} from due
          where account_tokens.workspace_id = due.workspace_id
            and account_tokens.account_id = due.account_id
          returning account_tokens.account_id`.execute(trx),
      )
      return rows.length
    },

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
        const rows = claims.map(({ accountId, owner, host, deferMs }) => ({
          ...{ account_id: accountId, owner, host, defer_ms: deferMs },
        }))
        const types = {
          account_id: 'text',
          owner: 'text',
          host: 'text',
          defer_ms: 'bigint',
        } as const
        await sql`update account_tokens set lease_owner = null, lease_until = null,
            token_host = coalesce(released.host, token_host),
            refresh_at = case when released.defer_ms is null then refresh_at
              else ${getDeferredTime(sql`released.defer_ms`)} end
        from ${jsonRows(database, types, rows, 'released')}
          where account_tokens.account_id = released.account_id
            and account_tokens.lease_owner = released.owner`.execute(trx)
      }),
  }

  function isNotSkipped(skipped: readonly HostScope[]): RawBuilder<unknown> {
    if (skipped.length === 0) return sql``
    const list = (texts: readonly string[]) =>
      isPostgres
        ? sql`<> all(array(select json_array_elements_text(${JSON.stringify(texts)}::json)))`
        : sql`not in (select value from json_each(${JSON.stringify(texts)}))`
    const hosts = skipped.flatMap((one) => (one.workspaceId === null ? [one.host] : []))
    const tenants = skipped.flatMap((one) =>
      one.workspaceId === null ? [] : [`${one.workspaceId} ${one.host}`],
    )
    return sql`and (token_host is null or (token_host ${list(hosts)}
      and account_tokens.workspace_id || ' ' || token_host ${list(tenants)}))`
  }

  function getDeferredTime(deferMs: RawBuilder<unknown>): RawBuilder<unknown> {
    const least = sql.raw(isPostgres ? 'least' : 'min')
    const nextBackOff = sql`30000 * (1 << cast(${least}(refresh_failures, 10) as integer))`
    const wait = sql`case when refresh_failures = 0 then ${deferMs} else ${least}(${deferMs}, ${nextBackOff}) end`
    return sql`${clock()} + cast((${wait}) * (1 + ${random}) as bigint)`
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

const SCOPE_TYPES = { host: 'text', scope: 'text' } as const

const toScopeRow = ({ host, workspaceId }: HostScope) => ({ host, scope: workspaceId })

/** How many accounts a deferral moves at most. */
export const DEFER_LIMIT = 5_000
/** How many of the accounts that are due it considers. */
const DEFER_WINDOW = 20_000
