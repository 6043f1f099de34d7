import { type Kysely, sql } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isInAccessibleWorkspace,
  isOwnedWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { MaybePromise, Param } from '../../platform/storage/prepared-query.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { Account, AccountId, AccountRow, PublicAccount } from './account.ts'
import { accountInserts } from './account-insert-store.ts'
import { createLinkedAccounts } from './account-list-store.ts'
import { createAccountPages } from './account-page-store.ts'
import {
  ACCOUNT_COLUMNS,
  PUBLIC_ACCOUNT_COLUMNS,
  toAccount,
  toPublicAccount,
} from './account-row-store.ts'
import { selectAccounts, TOKEN_STATE_COLUMNS } from './account-token-store.ts'
import { accountUpdates } from './account-update-store.ts'
import { readResponse, stringifyAccount } from './schemas/account.ts'

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
    ...accountInserts,
    ...accountUpdates,

    /** A live or deleted account, without its secrets. */
    async find(access: WorkspaceAccess, accountId: AccountId): Promise<PublicAccount | undefined> {
      const row = await preparedFind.first({ id: accountId, userId: access.userId })
      return row !== undefined && coversWorkspace(access, row.workspace_id)
        ? toPublicAccount(row)
        : undefined
    },

    /** The response of such an account, as JSON: without a promise on SQLite, if it is stored. */
    findResponse(access: WorkspaceAccess, accountId: AccountId): MaybePromise<string | undefined> {
      const params = { id: accountId, userId: access.userId }
      const toResponse = (row: ResponseRow | undefined) => {
        if (row === undefined || !coversWorkspace(access, row.workspace_id)) return undefined
        return readResponse(row) ?? renderResponse(params)
      }
      const row = preparedFindResponse.firstDirect(params)
      return row instanceof Promise ? row.then(toResponse) : toResponse(row)
    },

    /** A live or deleted account, with its encrypted credentials. */
    async findWithCredentials(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      accountId: AccountId,
    ): Promise<Account | undefined> {
      const row = await selectAccounts(db)
        .select(ACCOUNT_COLUMNS)
        .select(TOKEN_STATE_COLUMNS)
        .where('accounts.account_id', '=', accountId)
        .where(isInAccessibleWorkspace(access, 'accounts'))
        .executeTakeFirst()
      return row && toAccount(row)
    },

    /** At most ten live accounts of one customer that belong to one user of a provider, oldest first. Pending ones are left out. */
    async listByIdentity(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      { workspaceId, definitionId, accountIdentifier, identityId }: IdentityOwner,
    ): Promise<AccountOfIdentity[]> {
      const rows = await selectAccounts(db)
        .select([...ACCOUNT_COLUMNS, 'accounts.public_config'])
        .select(TOKEN_STATE_COLUMNS)
        .where('accounts.workspace_id', '=', workspaceId)
        .where(isInAccessibleWorkspace(access, 'accounts'))
        .where('accounts.account_identifier', '=', accountIdentifier)
        // Expressions, so that the database uses the index of the identifier: many customers may share an identity.
        .where(sql<string>`accounts.definition_id || ''`, '=', definitionId)
        .where(sql<string>`accounts.identity_id || ''`, '=', identityId)
        .where('accounts.deleted_at', 'is', null)
        .where('accounts.status', '<>', 'pending')
        .orderBy('accounts.created_at')
        .orderBy('accounts.account_id')
        .limit(10)
        .execute()
      return rows.map((row) => ({
        ...toAccount(row),
        publicConfig: row.public_config === null ? null : JSON.parse(row.public_config),
      }))
    },
  }
}

/** A user of a provider, as one customer of a workspace. */
interface IdentityOwner extends Pick<Account, 'workspaceId' | 'definitionId'> {
  readonly accountIdentifier: string
  readonly identityId: string
}

type AccountOfIdentity = Account & Pick<PublicAccount, 'publicConfig'>

export type AccountStore = ReturnType<typeof createAccountStore>

interface FindParams {
  readonly id: AccountId
  readonly userId: UserId
}

function ownedAccount(db: Kysely<Tables>, param: Param<FindParams>) {
  return db
    .selectFrom('accounts')
    .where('account_id', '=', param('id'))
    .where(isOwnedWorkspace(param('userId'), sql.ref('accounts.workspace_id')))
}
