import { type Kysely, sql } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../auth/caller.ts'
import { isInAccessibleWorkspace, isOwnedWorkspace } from '../auth/workspace-access-store.ts'
import type { Database } from '../storage/database.ts'
import { CATALOGUE_WORKSPACE_ID } from '../storage/id.ts'
import type { MaybePromise, Param } from '../storage/prepared-query.ts'
import type { AccountRow, Tables } from '../storage/tables.ts'
import type { UserId } from '../users/user.ts'
import type { Account, AccountChange, NewAccount, PublicAccount } from './account.ts'
import { createLinkedAccounts } from './account-list-store.ts'
import { createAccountPages } from './account-page-store.ts'
import {
  PUBLIC_ACCOUNT_COLUMNS,
  RESPONSE_SCHEMA,
  storeResponses,
  stringifyAccount,
  toAccount,
  toAccountColumns,
  toPublicAccount,
  toResponseColumns,
} from './account-row-store.ts'

type ResponseRow = Pick<AccountRow, 'workspace_id' | 'response_schema' | 'response_json'>

/** Accounts of the workspaces that the caller can access. */
export function createAccountStore(database: Database) {
  const preparedFind = database.prepare((db, param: Param<FindParams>) =>
    ownedAccount(db, param).select(PUBLIC_ACCOUNT_COLUMNS),
  )
  const preparedFindResponse = database.prepare(
    (db, param: Param<FindParams>) =>
      ownedAccount(db, param).select(['workspace_id', 'response_schema', 'response_json']),
    { id: 'text', userId: 'text' },
  )
  async function renderResponse(params: FindParams): Promise<string | undefined> {
    const account = await preparedFind.first(params)
    return account && stringifyAccount(toPublicAccount(account))
  }
  return {
    ...createAccountPages(database),
    ...createLinkedAccounts(database),

    /** A live or deleted account, without its secrets. */
    async find(access: WorkspaceAccess, accountId: string): Promise<PublicAccount | undefined> {
      const row = await preparedFind.first({ id: accountId, userId: access.userId })
      return row !== undefined && coversWorkspace(access, row.workspace_id)
        ? toPublicAccount(row)
        : undefined
    },

    /** The response of such an account, as JSON: without a promise on SQLite, if it is stored. */
    findResponse(access: WorkspaceAccess, accountId: string): MaybePromise<string | undefined> {
      const params = { id: accountId, userId: access.userId }
      const toResponse = (row: ResponseRow | undefined) => {
        if (row === undefined || !coversWorkspace(access, row.workspace_id)) return undefined
        if (row.response_json !== null && row.response_schema === RESPONSE_SCHEMA)
          return row.response_json
        return renderResponse(params)
      }
      const row = preparedFindResponse.firstDirect(params)
      return row instanceof Promise ? row.then(toResponse) : toResponse(row)
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
      await insertAccount(trx, account)
      return true
    },

    insert: insertAccount,

    /** Updates a live account unless its credentials changed since `expected` was read. Returns whether it did. */
    update: (
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      expected: Pick<Account, 'accountId' | 'credentialVersion'>,
      change: AccountChange,
    ): Promise<boolean> =>
      didUpdate(
        trx,
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
    ): Promise<boolean> => didUpdate(trx, updateQuery(trx, access, accountId, change)),

    /** Erases the configuration and leaves a tombstone. Returns false if the account was already deleted. */
    async markDeleted(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      accountId: string,
      now: number,
    ): Promise<boolean> {
      const rows = await trx
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
        .returning(PUBLIC_ACCOUNT_COLUMNS)
        .execute()
      await storeResponses(trx, rows)
      return rows.length > 0
    },
  }
}

export type AccountStore = ReturnType<typeof createAccountStore>

interface FindParams {
  readonly id: string
  readonly userId: UserId
}

function ownedAccount(db: Kysely<Tables>, param: Param<FindParams>) {
  return db
    .selectFrom('accounts')
    .where('account_id', '=', param('id'))
    .where(isOwnedWorkspace(param('userId'), sql.ref('accounts.workspace_id')))
}

async function insertAccount(trx: Kysely<Tables>, account: NewAccount): Promise<void> {
  const row = { ...toAccountColumns(account), ...toResponseColumns(account) }
  await trx.insertInto('accounts').values(row).execute()
}

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
    .returning(PUBLIC_ACCOUNT_COLUMNS)
}

async function didUpdate(
  trx: Kysely<Tables>,
  query: ReturnType<typeof updateQuery>,
): Promise<boolean> {
  const rows = await query.execute()
  await storeResponses(trx, rows)
  return rows.length > 0
}
