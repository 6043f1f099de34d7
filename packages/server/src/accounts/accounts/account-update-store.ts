import type { Kysely } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import {
  type Account,
  type AccountId,
  type AccountRow,
  type AccountUpdate,
  type NewAccount,
  STORED_ACCOUNT,
} from './account.ts'
import { PUBLIC_ACCOUNT_COLUMNS, toPublicAccount } from './account-row-store.ts'
import { deleteTokenState, storeTokenState } from './account-token-store.ts'
import { toResponseColumns } from './schemas/account.ts'

/** The updates of the account store. They also store the response of the account as JSON, for later reads. */
export const accountUpdates = {
  /** Updates a live account unless its credentials changed since `expected` was read. Returns whether it did. */
  async update(
    trx: Kysely<Tables>,
    access: WorkspaceAccess,
    expected: Pick<Account, 'accountId' | 'credentialVersion'>,
    change: AccountUpdate,
  ): Promise<boolean> {
    const rows = await updateQuery(trx, access, expected.accountId, change)
      .where('credential_version', '=', expected.credentialVersion)
      .execute()
    await storeResponses(trx, rows)
    for (const row of rows) await storeTokenState(trx, row, change)
    return rows.length > 0
  },

  /** Updates a live account even if its credentials have changed. Returns whether it did. */
  async updateName(
    trx: Kysely<Tables>,
    access: WorkspaceAccess,
    accountId: AccountId,
    change: Pick<Account, 'updatedAt'> & Partial<Pick<NewAccount, 'name' | 'tags'>>,
  ): Promise<boolean> {
    const rows = await updateQuery(trx, access, accountId, change).execute()
    await storeResponses(trx, rows)
    return rows.length > 0
  },

  /** Erases the configuration and leaves a tombstone. Returns false if the account was already deleted. */
  async markDeleted(
    trx: Kysely<Tables>,
    access: WorkspaceAccess,
    accountId: AccountId,
    now: number,
  ): Promise<boolean> {
    const rows = await trx
      .updateTable('accounts')
      .set({
        public_config: null,
        tags: '{}',
        sealed_config: null,
        identity_label: null,
        deleted_at: now,
        updated_at: now,
      })
      .where('account_id', '=', accountId)
      .where(isInAccessibleWorkspace(access, 'accounts'))
      .where('deleted_at', 'is', null)
      .returning(PUBLIC_ACCOUNT_COLUMNS)
      .execute()
    await storeResponses(trx, rows)
    await deleteTokenState(trx, rows)
    return rows.length > 0
  },
}

function updateQuery(
  trx: Kysely<Tables>,
  access: WorkspaceAccess,
  accountId: AccountId,
  change: AccountUpdate,
) {
  return trx
    .updateTable('accounts')
    .set(STORED_ACCOUNT.toColumns(change))
    .where('account_id', '=', accountId)
    .where(isInAccessibleWorkspace(access, 'accounts'))
    .where('deleted_at', 'is', null)
    .returning(PUBLIC_ACCOUNT_COLUMNS)
}

/** The columns that an UPDATE of public columns has to return for {@link storeResponses}. */
type PublicAccountRow = Pick<AccountRow, (typeof PUBLIC_ACCOUNT_COLUMNS)[number]>

/**
 * Stores the responses of accounts that the transaction has just updated. Without it their responses are absent, never
 * outdated: a trigger clears the response whenever a public column is updated.
 */
export async function storeResponses(
  trx: Kysely<Tables>,
  rows: readonly PublicAccountRow[],
): Promise<void> {
  for (const row of rows)
    await trx
      .updateTable('accounts')
      .set(toResponseColumns(toPublicAccount(row)))
      .where('account_id', '=', row.account_id)
      .execute()
}
