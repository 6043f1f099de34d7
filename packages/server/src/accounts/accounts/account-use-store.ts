import type { Database } from '../../platform/storage/database.ts'
import type { AccountId } from './account.ts'
import { USE_STEP_MS } from './account-use.ts'

/** Stores when accounts were last used. For background work, whose callers were authorized when they used the accounts. */
export function createAccountUseStore(database: Database) {
  return {
    /** Another node may have stored the use of an account within the same step. */
    async write(accountIds: readonly AccountId[], usedAt: number): Promise<void> {
      await database.transaction(async (trx) => {
        await trx
          .updateTable('accounts')
          .set({ last_used_at: usedAt })
          .where('account_id', 'in', [...accountIds])
          .where('deleted_at', 'is', null)
          .where((eb) =>
            eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', usedAt - USE_STEP_MS)]),
          )
          .execute()
      })
    },
  }
}
