import type { Kysely } from 'kysely'
import type { AccessScope } from '../auth/caller.ts'
import { ALL_ROWS, type Pagination } from '../http/pagination.ts'
import { CATALOGUE_WORKSPACE_ID } from '../storage/catalogue-owner.ts'
import type { Database } from '../storage/database.ts'
import type { Param } from '../storage/prepared-query.ts'
import type { Tables } from '../storage/tables.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
  isInScope,
  isOwnedWorkspace,
} from '../workspaces/workspace-store.ts'
import type { Account, AccountChange, NewAccount, PublicAccount } from './account.ts'
import {
  LINKED_ACCOUNT_COLUMNS,
  PUBLIC_ACCOUNT_COLUMNS,
  toAccount,
  toAccountColumns,
  toPublicAccount,
} from './account-row-store.ts'

/** Selects accounts of one workspace. Omitted members do not filter. */
export interface AccountListFilter {
  readonly workspaceId: string
  readonly definitionId?: string | undefined
  readonly accountIdentifier?: string | undefined
  readonly linkId?: string | undefined
  readonly status?: string | undefined
  readonly includeDeleted?: boolean | undefined
  /** Only rows created at or before this time, in epoch milliseconds. */
  readonly createdUntil?: number | undefined
}

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
  const preparedOfLink = database.prepare((db, param: Param<LinkParams>) =>
    accountsOfLink(db, param),
  )
  const preparedOfLinkByIdentifier = database.prepare(
    (db, param: Param<LinkParams & { accountIdentifier: string }>) =>
      accountsOfLink(db, param).where('account_identifier', '=', param('accountIdentifier')),
  )
  return {
    /** A live or deleted account, without its secrets. */
    async find(accessScope: AccessScope, accountId: string): Promise<PublicAccount | undefined> {
      const row = await preparedFind.first({ id: accountId, userId: accessScope.userId })
      return row !== undefined && isInScope(accessScope, row.workspace_id)
        ? toPublicAccount(row)
        : undefined
    },

    /** A live or deleted account, with its encrypted credentials. */
    async findWithCredentials(
      db: Kysely<Tables>,
      accessScope: AccessScope,
      accountId: string,
    ): Promise<Account | undefined> {
      const row = await db
        .selectFrom('accounts')
        .selectAll()
        .where('account_id', '=', accountId)
        .where(isInAccessibleWorkspace(accessScope, 'accounts'))
        .executeTakeFirst()
      return row && toAccount(row)
    },

    /** Oldest first. Returns up to `limit + 1` rows, so that the caller can tell whether there is a next page. */
    async list(
      accessScope: AccessScope,
      filter: AccountListFilter,
      page: Pagination,
    ): Promise<PublicAccount[]> {
      const rows = await listQuery(database.read, accessScope, filter, page).execute()
      return rows.map(toPublicAccount)
    },

    /** Live accounts of a link, optionally only those with one identifier, oldest first; without their configurations. */
    async listOfLink(
      accessScope: AccessScope,
      { workspaceId, linkId }: { readonly workspaceId: string; readonly linkId: string },
      accountIdentifier?: string,
    ): Promise<PublicAccount[]> {
      if (!isInScope(accessScope, workspaceId)) return []
      const params = { workspaceId, linkId, userId: accessScope.userId }
      const rows =
        accountIdentifier === undefined
          ? await preparedOfLink.all(params)
          : await preparedOfLinkByIdentifier.all({ ...params, accountIdentifier })
      return rows.map(toPublicAccount)
    },

    /** Live accounts of several links, oldest first. */
    async listOfLinks(
      accessScope: AccessScope,
      workspaceId: string,
      linkIds: readonly string[],
    ): Promise<PublicAccount[]> {
      if (linkIds.length === 0) return []
      const rows = await listQuery(database.read, accessScope, { workspaceId }, ALL_ROWS)
        .where('link_id', 'in', [...linkIds])
        .execute()
      return rows.map(toPublicAccount)
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
      accessScope: AccessScope,
      expected: Pick<Account, 'accountId' | 'credentialVersion'>,
      change: AccountChange,
    ): Promise<boolean> =>
      didUpdate(
        updateQuery(trx, accessScope, expected.accountId, change).where(
          'credential_version',
          '=',
          expected.credentialVersion,
        ),
      ),

    /** Updates a live account even if its credentials have changed. Returns whether it did. */
    updateName: (
      trx: Kysely<Tables>,
      accessScope: AccessScope,
      accountId: string,
      change: Pick<Account, 'updatedAt'> & Partial<Pick<Account, 'name'>>,
    ): Promise<boolean> => didUpdate(updateQuery(trx, accessScope, accountId, change)),

    /** Erases the configuration and leaves a tombstone. Returns false if the account was already deleted. */
    async markDeleted(
      trx: Kysely<Tables>,
      accessScope: AccessScope,
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
        .where(isInAccessibleWorkspace(accessScope, 'accounts'))
        .where('deleted_at', 'is', null)
        .returning('account_id')
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

export type AccountStore = ReturnType<typeof createAccountStore>

interface LinkParams {
  readonly workspaceId: string
  readonly linkId: string
  readonly userId: string
}

function accountsOfLink(db: Kysely<Tables>, param: Param<LinkParams>) {
  return db
    .selectFrom('accounts')
    .select(LINKED_ACCOUNT_COLUMNS)
    .where('link_id', '=', param('linkId'))
    .where('workspace_id', '=', param('workspaceId'))
    .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('account_id')
}

function updateQuery(
  trx: Kysely<Tables>,
  accessScope: AccessScope,
  accountId: string,
  change: AccountChange,
) {
  return trx
    .updateTable('accounts')
    .set(toAccountColumns(change))
    .where('account_id', '=', accountId)
    .where(isInAccessibleWorkspace(accessScope, 'accounts'))
    .where('deleted_at', 'is', null)
    .returning('account_id')
}

async function didUpdate(query: ReturnType<typeof updateQuery>): Promise<boolean> {
  return (await query.executeTakeFirst()) !== undefined
}

function listQuery(
  db: Kysely<Tables>,
  accessScope: AccessScope,
  filter: AccountListFilter,
  page: Pagination,
) {
  let query = db
    .selectFrom('accounts')
    .select(PUBLIC_ACCOUNT_COLUMNS)
    .where('workspace_id', '=', filter.workspaceId)
    .where(isAccessibleWorkspace(accessScope, filter.workspaceId))
    .orderBy('created_at')
    .orderBy('account_id')
  const { definitionId, accountIdentifier, linkId, status, createdUntil } = filter
  if (!filter.includeDeleted) query = query.where('deleted_at', 'is', null)
  if (definitionId !== undefined) query = query.where('definition_id', '=', definitionId)
  if (accountIdentifier !== undefined)
    query = query.where('account_identifier', '=', accountIdentifier)
  if (linkId !== undefined) query = query.where('link_id', '=', linkId)
  if (status !== undefined) query = query.where('status', '=', status)
  if (createdUntil !== undefined) query = query.where('created_at', '<=', createdUntil)
  if (page.after !== undefined) {
    const { createdAt, id } = page.after
    query = query.where((eb) =>
      eb(eb.refTuple('created_at', 'account_id'), '>', eb.tuple(createdAt, id)),
    )
  }
  return page.limit === undefined ? query : query.limit(page.limit + 1)
}
