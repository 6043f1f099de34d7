import type { Kysely } from 'kysely'
import type { AccessScope } from '../auth/caller.ts'
import type { AccountRow, Tables } from '../storage/tables.ts'
import { visibleWorkspaceIds } from '../workspaces/workspace-store.ts'

/** Which account was confirmed. */
export type ConfirmedAccount = Pick<AccountRow, 'account_id' | 'workspace_id'>

/** Accounts that wait for the host's backend to confirm them. */
export function createPendingAccountStore() {
  return {
    /** Makes the account active, once; answers its id, or undefined when the token opens nothing. */
    async confirm(
      trx: Kysely<Tables>,
      accessScope: AccessScope,
      confirmHash: Uint8Array,
      now: number,
    ): Promise<ConfirmedAccount | undefined> {
      return trx
        .updateTable('accounts')
        .set({ status: 'active', confirm_hash: null, confirm_until: null, updated_at: now })
        .where('confirm_hash', '=', confirmHash)
        .where('confirm_until', '>', now)
        .where('status', '=', 'pending')
        .where('workspace_id', 'in', visibleWorkspaceIds(trx, accessScope))
        .where('deleted_at', 'is', null)
        .returning(['account_id', 'workspace_id'])
        .executeTakeFirst()
    },

    /** Accounts whose time to be confirmed has passed, longest first. */
    async findOverdue(db: Kysely<Tables>, now: number, limit: number): Promise<string[]> {
      const rows = await db
        .selectFrom('accounts')
        .select('account_id')
        // Says the same as `status`, and has an index.
        .where('confirm_hash', '>', new Uint8Array(0))
        .where('confirm_until', '<=', now)
        .orderBy('confirm_until')
        .limit(limit)
        .execute()
      return rows.map((row) => row.account_id)
    },

    /** Ends and erases those of these accounts that are overdue still; answers them as they were. */
    async deleteOverdue(
      trx: Kysely<Tables>,
      ids: readonly string[],
      now: number,
    ): Promise<AccountRow[]> {
      const overdueRows = await trx
        .selectFrom('accounts')
        .selectAll()
        .where('account_id', 'in', ids)
        .where('status', '=', 'pending')
        .where('confirm_until', '<=', now)
        .where('deleted_at', 'is', null)
        .execute()
      await trx
        .updateTable('accounts')
        .set({
          public_config: null,
          sealed_config: null,
          sealed_headers: null,
          confirm_hash: null,
          confirm_until: null,
          renew_at: null,
          deleted_at: now,
          updated_at: now,
        })
        .where(
          'account_id',
          'in',
          overdueRows.map((row) => row.account_id),
        )
        .execute()
      return overdueRows
    },
  }
}

export type PendingAccountStore = ReturnType<typeof createPendingAccountStore>
