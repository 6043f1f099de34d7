import { toTimestamp } from '../../http/schema.ts'
import type { AccountRow } from '../../storage/tables.ts'
import type { AccountStatus, IntegrationAccount } from './account.ts'

/** What an answer needs of a row: never the sealed configuration. */
export type PublicAccountRow = Pick<AccountRow, (typeof ACCOUNT_PUBLIC_COLUMNS)[number]>

/** The columns that answers are made of. */
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

/** A row on the wire. A tombstone has no configuration left. */
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

/** As links show it: links go to strangers, so no configuration at all. */
export function serializeLinkedAccount(row: PublicAccountRow): IntegrationAccount {
  return serializeAccount({ ...row, public_config: null })
}
