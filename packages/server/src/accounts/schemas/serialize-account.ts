import { toTimestamp } from '../../http/schema.ts'
import type { AccountRow } from '../../storage/tables.ts'
import type { AccountStatus, IntegrationAccount } from './account.ts'

/** The columns of a row that a response needs: never the encrypted configuration. */
export type PublicAccountRow = Pick<AccountRow, (typeof ACCOUNT_PUBLIC_COLUMNS)[number]>

/** The columns that responses are built from. */
export const ACCOUNT_PUBLIC_COLUMNS = [
  'account_id',
  'workspace_id',
  'definition_id',
  'link_id',
  'name',
  'auth_type',
  'account_identifier',
  'public_config',
  'status',
  'status_reason',
  'created_at',
  'updated_at',
  'deleted_at',
] as const

/** Serializes a row. A tombstone has no configuration. */
export function serializeAccount(row: PublicAccountRow): IntegrationAccount {
  return {
    integrationAccountId: row.account_id,
    integrationDefinitionId: row.definition_id,
    integrationConfiguration: row.public_config === null ? null : JSON.parse(row.public_config),
    authType: row.auth_type,
    workspaceId: row.workspace_id,
    integrationAccountName: row.name,
    deleted: row.deleted_at === null ? null : toTimestamp(row.deleted_at),
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    linkId: row.link_id,
    accountIdentifier: row.account_identifier,
    status: row.status as AccountStatus,
    statusReason: row.status_reason,
  }
}

/** Serializes an account inside a link: without its configuration, because link IDs are shared with customers. */
export function serializeLinkedAccount(row: PublicAccountRow): IntegrationAccount {
  return serializeAccount({ ...row, public_config: null })
}
