import { sql } from 'kysely'
import type { AccountError } from '../../activity/requests/account-errors.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { type Flushes, startFlushing } from '../../platform/rounds.ts'
import type { Database } from '../../platform/storage/database.ts'
import { jsonRows } from '../../platform/storage/portable-sql.ts'
import type { AccountId } from './account.ts'

/** Stores when accounts were last used, when providers last accepted them, and their last errors. For background work, whose callers were authorized when they used the accounts. */
export function createAccountUseStore(database: Database) {
  const toRows = (times: readonly AccountTime[]) =>
    jsonRows(
      database,
      { account_id: 'text', at: 'bigint' },
      times.map(({ accountId, at }) => ({ account_id: accountId, at })),
      'used',
    )
  return {
    /** Another node may have stored a later time, or one within the same step. */
    async write(times: readonly AccountTime[]): Promise<void> {
      await database.transaction((trx) =>
        sql`update accounts set last_used_at = used.at from ${toRows(times)}
          where accounts.account_id = used.account_id and accounts.deleted_at is null
            and (accounts.last_used_at is null or accounts.last_used_at <= used.at - ${sql.lit(USE_STEP_MS)})`.execute(
          trx,
        ),
      )
    },
    /**
     * The same of successes, which end what spoke against the credentials before. The check loop then ends that they are held. The
     * first success since a definition is suspect is stored at once: some of these are what ends that.
     */
    async writeSuccess(times: readonly AccountTime[]): Promise<void> {
      await database.transaction((trx) =>
        sql`update account_health set last_ok_at = used.at, failures = 0,
            rejections = case when checked_at > used.at then rejections else 0 end,
            rejected_at = case when rejected_at > used.at then rejected_at end
          from ${toRows(times)}
          where account_health.account_id = used.account_id
            and (last_ok_at is null or last_ok_at <= used.at - ${sql.lit(USE_STEP_MS)}
              or (last_ok_at < used.at and last_ok_at <= (select max(suspect_since) from definition_health
                where definition_health.definition_id = account_health.definition_id
                  and definition_health.workspace_id in ('', account_health.workspace_id))))`.execute(
          trx,
        ),
      )
    },
    /** Of two nodes, the one with the later error wins. */
    async writeErrors(errors: readonly AccountError[]): Promise<void> {
      await database.transaction(async (trx) => {
        for (const { accountId, at, code } of errors)
          await trx
            .updateTable('accounts')
            .set({ last_error_at: at, last_error_code: code })
            .where('account_id', '=', accountId)
            .where('deleted_at', 'is', null)
            .where((eb) => eb.or([eb('last_error_at', 'is', null), eb('last_error_at', '<', at)]))
            .execute()
      })
    },
  }
}

/** When something happened to an account: epoch milliseconds. */
export interface AccountTime {
  readonly accountId: AccountId
  readonly at: number
}

export interface AccountUseOptions {
  readonly now: () => number
  /** Stores when accounts were used, or accepted. When it rejects, they are part of the next flush. */
  readonly write: (times: readonly AccountTime[]) => Promise<void>
  /** Since when each suspect definition is so: what its accounts do afterwards is stored at once, the first time. Default: none is. */
  readonly readSuspects?: () => Promise<SuspectTimes>
  readonly flushIntervalMs?: number
  /** Accounts that are remembered; further ones are dropped until the next flush. */
  readonly maxAccounts?: number
}

/** Since when definitions are suspect: epoch milliseconds. */
export type SuspectTimes = ReadonlyMap<DefinitionId, number>

/** Notes in memory when the credentials of accounts are used, or accepted by their providers, and stores it at most every 15 minutes per account. */
export interface AccountUse extends Pick<Flushes, 'stop'> {
  /** It happens now. Returns immediately and never throws. */
  add(accountId: AccountId, definitionId: DefinitionId): void
}

export function createAccountUse(options: AccountUseOptions): AccountUse {
  const { now, write, readSuspects, flushIntervalMs = 10_000, maxAccounts = 50_000 } = options
  let suspects: SuspectTimes = new Map()
  /** The latest time of each account: an outage may begin between a use and the flush. */
  const pending = new Map<AccountId, number>()
  /** The time that this node last stored of an account, oldest first. */
  const stored = new Map<AccountId, number>()
  const { stop } = startFlushing(async () => {
    suspects = (await readSuspects?.().catch(() => undefined)) ?? suspects
    const batches = toBatches(pending)
    pending.clear()
    for (const [index, batch] of batches.entries()) {
      try {
        await write(batch)
      } catch {
        for (const { accountId, at } of batches.slice(index).flat())
          if (!pending.has(accountId)) pending.set(accountId, at)
        return
      }
      for (const { accountId, at } of batch) stored.set(accountId, at)
    }
    const oldest = now() - USE_STEP_MS
    for (const [accountId, at] of stored) {
      if (at > oldest && stored.size <= maxAccounts) break
      stored.delete(accountId)
    }
  }, flushIntervalMs)
  return {
    add(accountId, definitionId) {
      const at = now()
      const storedAt = stored.get(accountId)
      const isAwaited = storedAt !== undefined && storedAt <= (suspects.get(definitionId) ?? -1)
      if (storedAt !== undefined && at - storedAt < USE_STEP_MS && !isAwaited) return
      if (storedAt !== undefined) stored.delete(accountId)
      if (pending.size < maxAccounts || pending.has(accountId)) pending.set(accountId, at)
    },
    stop,
  }
}

/** In the order of their ids, in which concurrent transactions lock them. */
function toBatches(times: ReadonlyMap<AccountId, number>): AccountTime[][] {
  const all = [...times]
    .map(([accountId, at]) => ({ accountId, at }))
    .sort((one, other) => (one.accountId < other.accountId ? -1 : 1))
  return Array.from({ length: Math.ceil(all.length / BATCH_SIZE) }, (_, index) =>
    all.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
  )
}

/** The times are stored in steps of this length. */
export const USE_STEP_MS = 15 * 60_000
/** Accounts per transaction. */
const BATCH_SIZE = 100
