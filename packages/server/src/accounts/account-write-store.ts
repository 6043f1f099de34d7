import type { Kysely } from 'kysely'
import type { WorkspaceAccess } from '../auth/caller.ts'
import { isInAccessibleWorkspace } from '../auth/workspace-access-store.ts'
import { createSerializer } from '../http/serializer.ts'
import { CATALOGUE_WORKSPACE_ID } from '../storage/id.ts'
import type { AccountRow, Tables } from '../storage/tables.ts'
import type { Account, AccountChange, AccountId, NewAccount, PublicAccount } from './account.ts'
import { PUBLIC_ACCOUNT_COLUMNS, toPublicAccount } from './account-row-store.ts'
import {
  deleteTokenState,
  insertTokenState,
  storeTokenState,
  type TokenState,
} from './account-token-store.ts'
import { IntegrationAccount, serializeAccount } from './schemas/account.ts'

/** The writes of the account store. They also store the response of the account as JSON, for later reads. */
export const accountWrites = {
  /**
   * Inserts an account whose definition is still live, and returns its response as JSON; otherwise undefined. For a
   * serializable transaction.
   */
  async insertIfDefinitionLive(
    trx: Kysely<Tables>,
    account: NewAccount,
  ): Promise<string | undefined> {
    const definition = await trx
      .selectFrom('definitions')
      .select('definition_id')
      .where('definition_id', '=', account.definitionId)
      .where('workspace_id', 'in', [account.workspaceId, CATALOGUE_WORKSPACE_ID])
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    return definition && insertAccount(trx, account)
  },

  /** Inserts an account, and returns its response as JSON. */
  insert: insertAccount,

  /** Updates a live account unless its credentials changed since `expected` was read. Returns whether it did. */
  async update(
    trx: Kysely<Tables>,
    access: WorkspaceAccess,
    expected: Pick<Account, 'accountId' | 'credentialVersion'>,
    change: AccountChange,
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
    change: Pick<Account, 'updatedAt'> & Partial<Pick<Account, 'name'>>,
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
        sealed_config: null,
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

async function insertAccount(trx: Kysely<Tables>, account: NewAccount): Promise<string> {
  const row = { ...toAccountColumns(account), ...toResponseColumns(account) }
  await trx.insertInto('accounts').values(row).execute()
  await insertTokenState(trx, row, account)
  return row.response_json
}

function updateQuery(
  trx: Kysely<Tables>,
  access: WorkspaceAccess,
  accountId: AccountId,
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

/** The columns of a change, without those of the token state; all columns for a new account. */
export function toAccountColumns(
  change: NewAccount,
): Omit<AccountRow, 'response_json' | 'response_schema'>
export function toAccountColumns(change: AccountChange): Partial<AccountRow>
export function toAccountColumns(change: AccountChange): Partial<AccountRow> {
  const entries = Object.entries(change).flatMap(([name, value]) => {
    const column = COLUMNS[name as keyof typeof COLUMNS]
    if (column === undefined) return []
    return [[column, name === 'publicConfig' && value !== null ? JSON.stringify(value) : value]]
  })
  return Object.fromEntries(entries)
}

const COLUMNS: Readonly<Record<Exclude<keyof NewAccount, keyof TokenState>, keyof AccountRow>> = {
  accountId: 'account_id',
  workspaceId: 'workspace_id',
  definitionId: 'definition_id',
  linkId: 'link_id',
  name: 'name',
  authType: 'auth_type',
  accountIdentifier: 'account_identifier',
  publicConfig: 'public_config',
  status: 'status',
  statusReason: 'status_reason',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  deletedAt: 'deleted_at',
  sealedConfig: 'sealed_config',
  credentialVersion: 'credential_version',
  oauthAppId: 'oauth_app_id',
  revokingUntil: 'revoking_until',
  identityId: 'identity_id',
  confirmHash: 'confirm_hash',
  confirmUntil: 'confirm_until',
}

/**
 * The version of the text in `response_json`. Increase it whenever the response of an account changes: other versions of the
 * text are ignored, and the account is serialized when it is read. A new public column also belongs into the triggers of
 * migration 0013.
 */
export const RESPONSE_SCHEMA = 1

/** The response of an account as JSON: the fields that the response schema lists, and no others. */
export function stringifyAccount(account: PublicAccount): string {
  return stringify(serializeAccount(account))
}

const stringify = createSerializer(IntegrationAccount)

/** The columns that store the response of an account beside it. */
export function toResponseColumns(account: PublicAccount) {
  return { response_json: stringifyAccount(account), response_schema: RESPONSE_SCHEMA }
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
