import { toTimestamp } from '../http/schema.ts'
import type { AccountRow } from '../storage/tables.ts'
import type { IntegrationAccount } from './account.ts'

/** What an answer needs of a row: never the sealed configuration. */
export type PublicAccountRow = Omit<AccountRow, 'sealed_config' | 'credential_version'>

/** A row on the wire. A tombstone has no configuration left. */
export function toAccount(row: PublicAccountRow): IntegrationAccount {
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
  }
}

/** As links show it: links go to strangers, so no configuration at all. */
export function toLinkedAccount(row: PublicAccountRow): IntegrationAccount {
  return toAccount({ ...row, public_config: null })
}
