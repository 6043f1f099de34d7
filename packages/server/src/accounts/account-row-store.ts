import type { AccountRow } from '../storage/tables.ts'
import type { Account, AccountStatus, PublicAccount } from './account.ts'

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
