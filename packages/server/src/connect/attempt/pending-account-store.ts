import type { Kysely } from 'kysely'
import type { Reach } from '../../caller/caller.ts'
import type { AccountRow, Tables } from '../../storage/tables.ts'
import { reachable } from '../../workspace/workspace-store.ts'

/** What a pending account that ended was. */
export type EndedAccount = Pick<AccountRow, 'account_id' | 'workspace_id'>

/** Accounts that wait for the host's backend to confirm them. */
export function createPendingAccountStore() {
  return {
    /** Makes the account active, once; answers its id, or undefined when the token opens nothing. */
    async confirm(
      trx: Kysely<Tables>,
      reach: Reach,
      confirmHash: Uint8Array,
      now: number,
    ): Promise<EndedAccount | undefined> {
      return trx
        .updateTable('accounts')
        .set({ status: 'active', confirm_hash: null, confirm_until: null, updated_at: now })
        .where('confirm_hash', '=', confirmHash)
        .where('confirm_until', '>', now)
        .where('status', '=', 'pending')
        .where('workspace_id', 'in', reachable(trx, reach))
        .where('deleted_at', 'is', null)
        .returning(['account_id', 'workspace_id'])
        .executeTakeFirst()
    },

    /** Ends and erases every account whose time to be confirmed has passed; answers which. */
    endOverdue: (trx: Kysely<Tables>, now: number): Promise<EndedAccount[]> =>
      trx
        .updateTable('accounts')
        .set({
          public_config: null,
          sealed_config: null,
          confirm_hash: null,
          confirm_until: null,
          renew_at: null,
          deleted_at: now,
          updated_at: now,
        })
        .where('status', '=', 'pending')
        .where('confirm_until', '<=', now)
        .where('deleted_at', 'is', null)
        .returning(['account_id', 'workspace_id'])
        .execute(),
  }
}

export type PendingAccountStore = ReturnType<typeof createPendingAccountStore>
