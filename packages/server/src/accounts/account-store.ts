import type { Kysely } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../auth/caller.ts'
import type { Database } from '../storage/database.ts'
import { CATALOGUE_WORKSPACE_ID } from '../storage/id.ts'
import type { Param } from '../storage/prepared-query.ts'
import type { Tables } from '../storage/tables.ts'
import { isInAccessibleWorkspace } from '../workspaces/workspace-store.ts'
import type { Account, AccountChange, NewAccount, PublicAccount } from './account.ts'
import { createAccountLists } from './account-list-store.ts'
import {
  PUBLIC_ACCOUNT_COLUMNS,
  toAccount,
  toAccountColumns,
  toPublicAccount,
} from './account-row-store.ts'

/** Accounts of the workspaces that the caller can access. */
export function createAccountStore(database: Database) {
  const preparedFind = database.prepare((db, param: Param<{ id: string; userId: string }>) =>
    db
      .selectFrom('accounts')
      .select(PUBLIC_ACCOUNT_COLUMNS)
      .where('account_id', '=', param('id'))
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('workspaces')
            .select('workspaces.workspace_id')
            .whereRef('workspaces.workspace_id', '=', 'accounts.workspace_id')
            .where('workspaces.user_id', '=', param('userId'))
            .where('workspaces.deleted_at', 'is', null),
        ),
      ),
  )
  return {
    ...createAccountLists(database),

    /** A live or deleted account, without its secrets. */
    async find(access: WorkspaceAccess, accountId: string): Promise<PublicAccount | undefined> {
      const row = await preparedFind.first({ id: accountId, userId: access.userId })
      return row !== undefined && coversWorkspace(access, row.workspace_id)
        ? toPublicAccount(row)
        : undefined
    },

    /** A live or deleted account, with its encrypted credentials. */
    async findWithCredentials(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      accountId: string,
    ): Promise<Account | undefined> {
      const row = await db
        .selectFrom('accounts')
        .selectAll()
        .where('account_id', '=', accountId)
        .where(isInAccessibleWorkspace(access, 'accounts'))
        .executeTakeFirst()
      return row && toAccount(row)
    },

    /** Inserts an account whose definition is still live; otherwise returns false. For a serializable transaction. */
    async insertIfDefinitionLive(trx: Kysely<Tables>, account: NewAccount): Promise<boolean> {
      const definition = await trx
        .selectFrom('definitions')
        .select('definition_id')
        .where('definition_id', '=', account.definitionId)
        .where('workspace_id', 'in', [account.workspaceId, CATALOGUE_WORKSPACE_ID])
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      if (definition === undefined) return false
      await trx.insertInto('accounts').values(toAccountColumns(account)).execute()
      return true
    },

    async insert(trx: Kysely<Tables>, account: NewAccount): Promise<void> {
      await trx.insertInto('accounts').values(toAccountColumns(account)).execute()
    },

    /** Updates a live account unless its credentials changed since `expected` was read. Returns whether it did. */
    update: (
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      expected: Pick<Account, 'accountId' | 'credentialVersion'>,
      change: AccountChange,
    ): Promise<boolean> =>
      didUpdate(
        updateQuery(trx, access, expected.accountId, change).where(
          'credential_version',
          '=',
          expected.credentialVersion,
        ),
      ),

    /** Updates a live account even if its credentials have changed. Returns whether it did. */
    updateName: (
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      accountId: string,
      change: Pick<Account, 'updatedAt'> & Partial<Pick<Account, 'name'>>,
    ): Promise<boolean> => didUpdate(updateQuery(trx, access, accountId, change)),

    /** Erases the configuration and leaves a tombstone. Returns false if the account was already deleted. */
    async markDeleted(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      accountId: string,
      now: number,
    ): Promise<boolean> {
      const row = await trx
        .updateTable('accounts')
        .set({
          public_config: null,
          sealed_config: null,
          sealed_headers: null,
          deleted_at: now,
          updated_at: now,
        })
        .where('account_id', '=', accountId)
        .where(isInAccessibleWorkspace(access, 'accounts'))
        .where('deleted_at', 'is', null)
        .returning('account_id')
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

export type AccountStore = ReturnType<typeof createAccountStore>

function updateQuery(
  trx: Kysely<Tables>,
  access: WorkspaceAccess,
  accountId: string,
  change: AccountChange,
) {
  return trx
    .updateTable('accounts')
    .set(toAccountColumns(change))
    .where('account_id', '=', accountId)
    .where(isInAccessibleWorkspace(access, 'accounts'))
    .where('deleted_at', 'is', null)
    .returning('account_id')
}

async function didUpdate(query: ReturnType<typeof updateQuery>): Promise<boolean> {
  return (await query.executeTakeFirst()) !== undefined
}
