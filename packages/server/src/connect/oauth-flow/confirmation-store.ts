import { type Kysely, sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { Account, AccountId } from '../../accounts/accounts/account.ts'
import {
  ACCOUNT_COLUMNS,
  deleteAccountState,
  PUBLIC_ACCOUNT_COLUMNS,
  selectAccounts,
  storeResponses,
  TOKEN_STATE_COLUMNS,
  toAccount,
} from '../../accounts/accounts/account-row-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import {
  AWAITING_DECISION,
  OAUTH_SESSION,
  type OAuthSession,
  type OAuthSessionId,
} from './session/oauth-session.ts'

/** The keys of a confirmed account. */
export type ConfirmedAccount = Pick<Account, 'accountId' | 'workspaceId'>

/** Stores what awaits a decision: pending accounts, and the sessions of reconnects and of choices. */
export function createConfirmationStore(database: Database) {
  const sessions = () => database.read.selectFrom('oauth_sessions').selectAll()
  return {
    /** Activates the account of this confirmation token, once; undefined when the token is invalid, used or expired. */
    async confirmAccount(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      confirmHash: Uint8Array,
      now: number,
    ): Promise<ConfirmedAccount | undefined> {
      const row = await trx
        .updateTable('accounts')
        .set({ status: 'active', status_since: now, updated_at: now })
        .set({ confirm_hash: null, confirm_until: null })
        .where('confirm_hash', '=', confirmHash)
        .where('confirm_until', '>', now)
        .where('status', '=', 'pending')
        .where(isInAccessibleWorkspace(access, 'accounts'))
        .where('deleted_at', 'is', null)
        .returning(PUBLIC_ACCOUNT_COLUMNS)
        .executeTakeFirst()
      if (row !== undefined) await storeResponses(trx, [row])
      return row && { accountId: row.account_id, workspaceId: row.workspace_id }
    },

    /** Finds the IDs of accounts that were not confirmed in time, longest overdue first. */
    async findOverdueAccounts(
      db: Kysely<Tables>,
      now: number,
      limit: number,
    ): Promise<AccountId[]> {
      const rows = await db
        .selectFrom('accounts')
        .select('account_id')
        // Equivalent to the status `pending`, and indexed.
        .where('confirm_hash', 'is not', null)
        .where('confirm_until', '<=', now)
        .where('deleted_at', 'is', null)
        .orderBy('confirm_until')
        .limit(limit)
        .execute()
      return rows.map((row) => row.account_id)
    },

    /** Deletes and erases those of the accounts that are still overdue; returns them as they were before. */
    async deleteOverdueAccounts(
      trx: Kysely<Tables>,
      ids: readonly AccountId[],
      now: number,
    ): Promise<Account[]> {
      const overdueRows = await selectAccounts(trx)
        .select(ACCOUNT_COLUMNS)
        .select(TOKEN_STATE_COLUMNS)
        .where('accounts.account_id', 'in', ids)
        .where('accounts.status', '=', 'pending')
        .where('accounts.confirm_until', '<=', now)
        .where('accounts.deleted_at', 'is', null)
        .execute()
      if (overdueRows.length === 0) return []
      const deletedRows = await trx
        .updateTable('accounts')
        .set({
          public_config: null,
          tags: '{}',
          sealed_config: null,
          confirm_hash: null,
          confirm_until: null,
          deleted_at: now,
          updated_at: now,
        })
        .where(
          'account_id',
          'in',
          overdueRows.map((row) => row.account_id),
        )
        .returning(PUBLIC_ACCOUNT_COLUMNS)
        .execute()
      await storeResponses(trx, deletedRows)
      await deleteAccountState(trx, deletedRows)
      return overdueRows.map(toAccount)
    },

    /** Finds the session that created the pending account of this confirmation token. */
    async findAccountSession(
      trx: Kysely<Tables>,
      confirmHash: Uint8Array,
    ): Promise<OAuthSession | undefined> {
      const row = await trx
        .selectFrom('oauth_sessions')
        .selectAll()
        .where('page_hash', '=', confirmHash)
        .where('finished_at', 'is not', null)
        .executeTakeFirst()
      return row && OAUTH_SESSION.fromRow(row)
    },

    /**
     * Keeps the result of a claimed session until the host application confirms it or, without a `confirmHash`, until its person
     * has chosen what to do with it; false when the session has finished.
     */
    async awaitDecision(
      trx: Kysely<Tables>,
      sessionId: OAuthSessionId,
      confirmation: {
        readonly confirmHash: Uint8Array | null
        readonly sealed: Uint8Array
        readonly until: number
      },
    ): Promise<boolean> {
      const row = await trx
        .updateTable('oauth_sessions')
        .set({
          page_hash: confirmation.confirmHash,
          sealed: confirmation.sealed,
          expires_at: confirmation.until,
          outcome: AWAITING_DECISION,
        })
        .where('attempt_id', '=', sessionId)
        .where('finished_at', 'is', null)
        .where('claimed_at', 'is not', null)
        .returning('attempt_id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** Claims a session that awaits the choice of its person, once; undefined when it does not, or no longer. */
    async claimChoice(
      trx: Kysely<Tables>,
      sessionId: OAuthSessionId,
      now: number,
    ): Promise<OAuthSession | undefined> {
      const row = await trx
        .updateTable('oauth_sessions')
        .set({ outcome: null, claimed_at: now })
        .where('attempt_id', '=', sessionId)
        .where('outcome', '=', AWAITING_DECISION)
        .where('page_hash', 'is', null)
        .where('finished_at', 'is', null)
        .where('expires_at', '>', now)
        .returningAll()
        .executeTakeFirst()
      return row && OAUTH_SESSION.fromRow(row)
    },

    /** Finds the session of a reconnect that awaits this confirmation token, if the caller can access it. */
    async findReconnect(
      access: WorkspaceAccess,
      confirmHash: Uint8Array,
      now: number,
    ): Promise<OAuthSession | undefined> {
      const row = await sessions()
        .where('page_hash', '=', confirmHash)
        .where('outcome', '=', AWAITING_DECISION)
        .where('finished_at', 'is', null)
        .where('expires_at', '>', now)
        .where(isInAccessibleWorkspace(access, 'oauth_sessions'))
        .executeTakeFirst()
      return row && OAUTH_SESSION.fromRow(row)
    },

    /** Finds the sessions whose reconnect was not confirmed in time, or whose person has not chosen in time. */
    async findUndecided(now: number, limit: number): Promise<OAuthSession[]> {
      const rows = await sessions()
        .where('outcome', '=', sql.lit(AWAITING_DECISION))
        .where('finished_at', 'is', null)
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit)
        .execute()
      return rows.map(OAUTH_SESSION.fromRow)
    },
  }
}

export type ConfirmationStore = ReturnType<typeof createConfirmationStore>
