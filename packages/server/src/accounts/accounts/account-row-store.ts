import type { Transaction } from '../../platform/storage/database.ts'
import type { AccountRow } from '../../platform/storage/tables.ts'
import type { Account, AccountId, AccountStatus, PublicAccount } from './account.ts'
import { type TokenStateRow, toTokenState } from './account-token-store.ts'

/** The columns of an account inside a link: no configuration. */
export const LINKED_ACCOUNT_COLUMNS = [
  'account_id',
  'workspace_id',
  'definition_id',
  'link_id',
  'name',
  'auth_type',
  'account_identifier',
  'status',
  'status_reason',
  'tags',
  'created_at',
  'updated_at',
  'deleted_at',
] as const

/** The columns of a public account: never the encrypted configuration. */
export const PUBLIC_ACCOUNT_COLUMNS = [...LINKED_ACCOUNT_COLUMNS, 'public_config'] as const

/** The account of a row with the columns `PUBLIC_ACCOUNT_COLUMNS`, or with `LINKED_ACCOUNT_COLUMNS`. */
export function toPublicAccount(
  row: Pick<AccountRow, (typeof LINKED_ACCOUNT_COLUMNS)[number]> &
    Partial<Pick<AccountRow, 'public_config'>>,
): PublicAccount {
  return {
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    definitionId: row.definition_id,
    linkId: row.link_id,
    name: row.name,
    authType: row.auth_type,
    accountIdentifier: row.account_identifier,
    tags: JSON.parse(row.tags),
    publicConfig: row.public_config == null ? null : JSON.parse(row.public_config),
    status: row.status as AccountStatus,
    statusReason: row.status_reason,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  }
}

/** An account within a transaction, without its secrets. */
export async function readAccountSnapshot(
  trx: Transaction,
  accountId: AccountId,
): Promise<PublicAccount> {
  const row = await trx
    .selectFrom('accounts')
    .select(PUBLIC_ACCOUNT_COLUMNS)
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return toPublicAccount(row)
}

/**
 * The columns of an account with its credentials. Name them instead of `*`: PostgreSQL rejects a prepared `SELECT *` when a
 * later version drops a column.
 */
export const ACCOUNT_COLUMNS = [
  'accounts.account_id',
  'accounts.workspace_id',
  'accounts.definition_id',
  'accounts.link_id',
  'accounts.name',
  'accounts.auth_type',
  'accounts.account_identifier',
  'accounts.status',
  'accounts.status_reason',
  'accounts.created_at',
  'accounts.updated_at',
  'accounts.deleted_at',
  'accounts.sealed_config',
  'accounts.credential_version',
  'accounts.oauth_app_id',
  'accounts.revoking_until',
  'accounts.identity_id',
  'accounts.confirm_hash',
  'accounts.confirm_until',
] as const

/** A row with the columns `ACCOUNT_COLUMNS`. */
export type CredentialsRow = Omit<
  AccountRow,
  'public_config' | 'tags' | 'response_schema' | 'response_json' | 'identity_label' | 'last_used_at'
>

/** The account of a row and of the state of its token refresh. */
export function toAccount(row: CredentialsRow & TokenStateRow): Account {
  return {
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    definitionId: row.definition_id,
    linkId: row.link_id,
    name: row.name,
    authType: row.auth_type,
    accountIdentifier: row.account_identifier,
    status: row.status as AccountStatus,
    statusReason: row.status_reason,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
    sealedConfig: row.sealed_config,
    credentialVersion: row.credential_version,
    oauthAppId: row.oauth_app_id,
    ...toTokenState(row),
    revokingUntil: row.revoking_until,
    identityId: row.identity_id,
    confirmHash: row.confirm_hash,
    confirmUntil: row.confirm_until,
  }
}
