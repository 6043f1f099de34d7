import type { AccountError } from '../../activity/requests/account-errors.ts'
import { startFlushing } from '../../platform/rounds.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { AccountId } from './account.ts'

/** Stores when accounts were last used, when providers last accepted them, and their last errors. For background work, whose callers were authorized when they used the accounts. */
export function createAccountUseStore(database: Database) {
  const createWrite =
    (column: 'last_used_at' | 'last_ok_at') =>
    /** Another node may have stored a later time, or one within the same step. */
    async (accountIds: readonly AccountId[], at: number): Promise<void> => {
      await database.transaction(async (trx) => {
        await trx
          .updateTable('accounts')
          .set({ [column]: at })
          .where('account_id', 'in', [...accountIds])
          .where('deleted_at', 'is', null)
          .where((eb) => eb.or([eb(column, 'is', null), eb(column, '<=', at - USE_STEP_MS)]))
          .execute()
      })
    }
  return {
    write: createWrite('last_used_at'),
    writeSuccess: createWrite('last_ok_at'),
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

export interface AccountUseOptions {
  readonly now: () => number
  /** Stores that accounts were used, or accepted, at a time. When it rejects, they are part of the next flush. */
  readonly write: (accountIds: readonly AccountId[], usedAt: number) => Promise<void>
  readonly flushIntervalMs?: number
  /** Accounts that are remembered; further ones are dropped until the next flush. */
  readonly maxAccounts?: number
}

/** Notes in memory that the credentials of accounts are used, or accepted by their providers, and stores it at most every 15 minutes per account. */
export interface AccountUse {
  /** Returns immediately and never throws. */
  add(accountId: AccountId): void
  /** Stops the timer and writes what is pending. Never rejects. */
  stop(): Promise<void>
}

export function createAccountUse(options: AccountUseOptions): AccountUse {
  const { now, write, flushIntervalMs = 10_000, maxAccounts = 50_000 } = options
  const pending = new Set<AccountId>()
  /** When this node last stored the use of an account, oldest first. */
  const stored = new Map<AccountId, number>()
  const { stop } = startFlushing(async () => {
    const usedAt = now()
    while (pending.size > 0) {
      const batch = [...pending].slice(0, BATCH_SIZE).sort()
      for (const accountId of batch) pending.delete(accountId)
      try {
        await write(batch, usedAt)
      } catch {
        for (const accountId of batch) pending.add(accountId)
        return
      }
      for (const accountId of batch) stored.set(accountId, usedAt)
    }
    for (const [accountId, at] of stored) {
      if (at > usedAt - USE_STEP_MS && stored.size <= maxAccounts) break
      stored.delete(accountId)
    }
  }, flushIntervalMs)
  return {
    add(accountId) {
      const storedAt = stored.get(accountId)
      if (storedAt !== undefined && now() - storedAt < USE_STEP_MS) return
      if (storedAt !== undefined) stored.delete(accountId)
      if (pending.size < maxAccounts) pending.add(accountId)
    },
    stop,
  }
}

/** The time of the last use is stored in steps of this length. */
export const USE_STEP_MS = 15 * 60_000
/** Accounts per transaction. */
const BATCH_SIZE = 100
