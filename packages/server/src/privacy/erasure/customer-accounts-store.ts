import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { type AccountId, STORED_ACCOUNT } from '../../accounts/accounts/account.ts'
import {
  deleteAccountState,
  PUBLIC_ACCOUNT_COLUMNS,
  storeResponses,
} from '../../accounts/accounts/account-row-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { addCounts, type Customer, type ErasureCounts } from './erasure.ts'
import { RECORDS_START, type RecordsPosition, scrubRecords } from './scrub-records-store.ts'

/** An account to erase. */
export interface CustomerAccount {
  readonly accountId: AccountId
  readonly isLive: boolean
}

/** Up to where the events and audit entries of accounts were scrubbed. */
export type ScrubPositions = ReadonlyMap<AccountId, RecordsPosition>

/** Erases the accounts of a customer. Runs on behalf of no caller: the operation has resolved the workspace. */
export function createCustomerAccountStore(database: Database) {
  return {
    /** Accounts of the customer that are not erased yet: the live ones first. */
    async list({ workspaceId, identifier }: Customer, limit: number): Promise<CustomerAccount[]> {
      const find = async (isLive: boolean) => {
        const rows = await database.read
          .selectFrom('accounts')
          .select('account_id as accountId')
          .where('workspace_id', '=', workspaceId)
          .where('account_identifier', '=', identifier)
          .where('deleted_at', isLive ? 'is' : 'is not', null)
          .limit(limit)
          .execute()
        return rows.map(({ accountId }) => ({ accountId, isLive }))
      }
      const live = await find(true)
      return live.length > 0 ? live : find(false)
    },

    /**
     * Erases accounts and what refers to them, and leaves tombstones without names. Returns the accounts that were live;
     * one that changed its state since it was listed is left for the next batch.
     */
    async erase(
      trx: Transaction,
      { workspaceId, identifier }: Customer,
      accounts: readonly CustomerAccount[],
      { positions, now }: EraseOptions,
    ): Promise<{ readonly ended: AccountId[]; readonly counts: ErasureCounts }> {
      const eraseRows = async (ids: readonly AccountId[], isLive: boolean) => {
        if (ids.length === 0) return []
        const rows = await trx
          .updateTable('accounts')
          .set({
            ...STORED_ACCOUNT.erasedColumns,
            confirm_until: null,
            last_error_at: null,
            last_error_code: null,
            updated_at: now,
            ...(isLive ? { deleted_at: now } : {}),
          })
          .where('workspace_id', '=', workspaceId)
          .where('account_id', 'in', ids)
          .where('account_identifier', '=', identifier)
          .where('deleted_at', isLive ? 'is' : 'is not', null)
          .returning(PUBLIC_ACCOUNT_COLUMNS)
          .execute()
        await storeResponses(trx, rows)
        await deleteAccountState(trx, rows)
        return rows.map((row) => row.account_id)
      }
      const pick = (isLive: boolean) =>
        accounts.filter((account) => account.isLive === isLive).map((account) => account.accountId)
      const ended = await eraseRows(pick(true), true)
      const tombstones = await eraseRows(pick(false), false)
      const others = await eraseTraces(trx, workspaceId, [...ended, ...tombstones], positions)
      const counts = { ...others, accounts: ended.length, tombstones: tombstones.length }
      return { ended, counts }
    },
  }
}

export type CustomerAccountStore = ReturnType<typeof createCustomerAccountStore>

export interface EraseOptions {
  readonly positions: ScrubPositions
  /** Epoch milliseconds. */
  readonly now: number
}

/** Erases the history, the sessions, the submissions and the results in bulk jobs of accounts, and scrubs their latest events and audit entries. */
async function eraseTraces(
  trx: Transaction,
  workspaceId: WorkspaceId,
  ids: readonly AccountId[],
  positions: ScrubPositions,
): Promise<ErasureCounts> {
  if (ids.length === 0) return {}
  const changes = await trx
    .deleteFrom('account_changes')
    .where('workspace_id', '=', workspaceId)
    .where('account_id', 'in', ids)
    .executeTakeFirst()
  const deleteByAccount = async (table: 'agent_approvals' | 'oauth_sessions' | 'submissions') => {
    const deleted = await trx
      .deleteFrom(table)
      .where('account_id', 'in', ids)
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirst()
    return Number(deleted.numDeletedRows)
  }
  // Those that were recorded since the earlier transactions; later ones find no live account.
  const requests = await trx
    .deleteFrom('request_log')
    .where('workspace_id', '=', workspaceId)
    .where('account_id', 'in', ids)
    .executeTakeFirst()
  const results = await trx
    .deleteFrom('bulk_job_items')
    .where('workspace_id', '=', workspaceId)
    .where('account_id', 'in', ids)
    .executeTakeFirst()
  await deleteByAccount('agent_approvals')
  let counts: ErasureCounts = {}
  for (const id of ids) {
    // Those that were recorded since the earlier transactions.
    const after = positions.get(id) ?? RECORDS_START
    const records = await scrubRecords(trx, workspaceId, id, after)
    counts = addCounts(counts, records.counts)
  }
  return {
    ...counts,
    accountChanges: Number(changes.numDeletedRows),
    oauthSessions: await deleteByAccount('oauth_sessions'),
    submissions: await deleteByAccount('submissions'),
    requests: Number(requests.numDeletedRows),
    bulkJobResults: Number(results.numDeletedRows),
  }
}
