import { toTimestamp } from '../../http/schema.ts'
import type { PublicAccount } from '../account.ts'
import type { IntegrationAccount } from './account.ts'

/** Serializes a row. A tombstone has no configuration. */
export function serializeAccount(row: PublicAccount): IntegrationAccount {
  const createdAt = toTimestamp(row.createdAt)
  return {
    integrationAccountId: row.accountId,
    integrationDefinitionId: row.definitionId,
    integrationConfiguration: row.publicConfig,
    authType: row.authType,
    workspaceId: row.workspaceId,
    integrationAccountName: row.name,
    deleted: row.deletedAt === null ? null : toTimestamp(row.deletedAt),
    createdAt,
    updatedAt: row.updatedAt === row.createdAt ? createdAt : toTimestamp(row.updatedAt),
    linkId: row.linkId,
    accountIdentifier: row.accountIdentifier,
    status: row.status,
    statusReason: row.statusReason,
  }
}

/** Serializes an account inside a link: without its configuration, because link IDs are shared with customers. */
export function serializeLinkedAccount(row: PublicAccount): IntegrationAccount {
  return serializeAccount({ ...row, publicConfig: null })
}
