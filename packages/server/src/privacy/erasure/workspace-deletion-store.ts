import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import { deleteTokenState } from '../../accounts/accounts/account-token-store.ts'
import { deleteIdempotencyKeys } from '../../platform/record/idempotency-retention-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { ErasureLease } from './erasure-store.ts'

/** Deletes workspaces, and claims those whose data is not erased yet, or has to be erased again. */
export function createWorkspaceDeletionStore(database: Database) {
  return {
    /**
     * Hides a workspace from every caller, revokes its tokens and its links, and stops its webhooks. Returns false if the
     * caller cannot access it.
     */
    async markDeleted(
      trx: Transaction,
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      { now, aliveUntil }: ErasureLease,
    ): Promise<boolean> {
      const workspace = await trx
        .updateTable('workspaces')
        // The slug is free for another workspace.
        .set({ deleted_at: now, updated_at: now, slug: workspaceId, name: '', settings: '{}' })
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .where(isInAccessibleWorkspace(access, 'workspaces'))
        .returning('user_id as userId')
        .executeTakeFirst()
      if (workspace === undefined) return false
      await trx
        .insertInto('workspace_deletions')
        .values({
          workspace_id: workspaceId,
          alive_until: aliveUntil,
          created_at: now,
          finished_at: null,
        })
        .execute()
      await trx
        .updateTable('tokens')
        .set({ revoked_at: now, name: '' })
        .where('workspace_id', '=', workspaceId)
        .where('revoked_at', 'is', null)
        .execute()
      await trx
        .updateTable('webhook_endpoints')
        .set({ deleted_at: now, due_at: null, sealed_headers: null })
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .execute()
      await deleteIdempotencyKeys(trx, workspace, { workspaceId })
      return true
    },

    async isRunning(workspaceId: WorkspaceId): Promise<boolean> {
      const row = await database.read
        .selectFrom('workspace_deletions')
        .select('workspace_id')
        .where('workspace_id', '=', workspaceId)
        .where('finished_at', 'is', null)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Claims a deletion that a process has left unfinished. */
    claimAbandoned({ now, aliveUntil }: ErasureLease): Promise<WorkspaceId | undefined> {
      return database.transaction(async (trx) => {
        const due = await trx
          .selectFrom('workspace_deletions')
          .select('workspace_id')
          .where('alive_until', '<=', now)
          .limit(1)
          .executeTakeFirst()
        if (due === undefined) return undefined
        const claimed = await trx
          .updateTable('workspace_deletions')
          .set({ alive_until: aliveUntil })
          .where('workspace_id', '=', due.workspace_id)
          .where('alive_until', '<=', now)
          .returning('workspace_id')
          .executeTakeFirst()
        return claimed?.workspace_id
      })
    },

    async extendLease(
      trx: Transaction,
      workspaceId: WorkspaceId,
      aliveUntil: number,
    ): Promise<void> {
      await trx
        .updateTable('workspace_deletions')
        .set({ alive_until: aliveUntil })
        .where('workspace_id', '=', workspaceId)
        .execute()
    },

    async listLiveAccounts(workspaceId: WorkspaceId, limit: number): Promise<AccountId[]> {
      const rows = await database.read
        .selectFrom('accounts')
        .select('account_id')
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .limit(limit)
        .execute()
      return rows.map((row) => row.account_id)
    },

    /** Deletes accounts of the workspace, without tombstones, which no one could read. */
    async deleteAccounts(
      trx: Transaction,
      workspaceId: WorkspaceId,
      ids: readonly AccountId[],
    ): Promise<AccountId[]> {
      const rows = await trx
        .deleteFrom('accounts')
        .where('account_id', 'in', ids)
        .where('workspace_id', '=', workspaceId)
        .returning(['account_id', 'workspace_id'])
        .execute()
      await deleteTokenState(trx, rows)
      return rows.map((row) => row.account_id)
    },

    /**
     * Ends a pass. Returns whether it was the first one: requests that were running then may store more, which a second pass
     * at `secondPassAt` erases. Epoch milliseconds.
     */
    async finishPass(
      trx: Transaction,
      workspaceId: WorkspaceId,
      { now, secondPassAt }: { readonly now: number; readonly secondPassAt: number },
    ): Promise<boolean> {
      const { numUpdatedRows } = await trx
        .updateTable('workspace_deletions')
        .set({ finished_at: now, alive_until: secondPassAt })
        .where('workspace_id', '=', workspaceId)
        .where('finished_at', 'is', null)
        .executeTakeFirst()
      if (numUpdatedRows > 0n) return true
      await trx.deleteFrom('workspace_deletions').where('workspace_id', '=', workspaceId).execute()
      return false
    },
  }
}

export type WorkspaceDeletionStore = ReturnType<typeof createWorkspaceDeletionStore>
