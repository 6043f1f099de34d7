import type { Kysely } from 'kysely'
import { createSerializer } from '../http/serializer.ts'
import type { AccountRow, Tables } from '../storage/tables.ts'
import type { Account, AccountChange, AccountStatus, NewAccount, PublicAccount } from './account.ts'
import { IntegrationAccount, serializeAccount } from './schemas/account.ts'

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
    publicConfig: row.public_config == null ? null : JSON.parse(row.public_config),
    status: row.status as AccountStatus,
    statusReason: row.status_reason,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  }
}

/** The account of a whole row. */
export function toAccount(row: AccountRow): Account {
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
    tokenExpiresAt: row.token_expires_at,
    tokenTtlMs: row.token_life_ms,
    sealedHeaders: row.sealed_headers,
    refreshAt: row.renew_at,
    refreshFailures: row.renew_failures,
    refreshSentAt: row.renewal_sent_at,
    leaseOwner: row.lease_owner,
    leaseUntil: row.lease_until,
    revokingUntil: row.revoking_until,
    identityId: row.identity_id,
    confirmHash: row.confirm_hash,
    confirmUntil: row.confirm_until,
  }
}

/** The columns of a change; all columns for a new account. */
export function toAccountColumns(
  change: NewAccount,
): Omit<AccountRow, 'response_json' | 'response_schema'>
export function toAccountColumns(change: AccountChange): Partial<AccountRow>
export function toAccountColumns(change: AccountChange): Partial<AccountRow> {
  const entries = Object.entries(change).map(([name, value]) => [
    COLUMNS[name as keyof NewAccount],
    name === 'publicConfig' && value !== null ? JSON.stringify(value) : value,
  ])
  return Object.fromEntries(entries)
}

const COLUMNS: Readonly<Record<keyof NewAccount, keyof AccountRow>> = {
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
  tokenExpiresAt: 'token_expires_at',
  tokenTtlMs: 'token_life_ms',
  sealedHeaders: 'sealed_headers',
  refreshAt: 'renew_at',
  refreshFailures: 'renew_failures',
  refreshSentAt: 'renewal_sent_at',
  leaseOwner: 'lease_owner',
  leaseUntil: 'lease_until',
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
export function toResponseColumns(
  account: PublicAccount,
): Pick<AccountRow, 'response_json' | 'response_schema'> {
  return { response_json: stringifyAccount(account), response_schema: RESPONSE_SCHEMA }
}

/** The columns that an UPDATE of public columns has to return for {@link storeResponses}. */
export type PublicAccountRow = Pick<AccountRow, (typeof PUBLIC_ACCOUNT_COLUMNS)[number]>

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

/** Whether an UPDATE of these columns changes the response, so that it has to be stored again. */
export function hasPublicColumn(change: Partial<AccountRow>): boolean {
  return PUBLIC_ACCOUNT_COLUMNS.some((column) => column in change)
}
