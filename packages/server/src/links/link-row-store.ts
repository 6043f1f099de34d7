import { crc32 } from 'node:zlib'
import type { Category } from '../definitions/category.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { LinkRow } from '../storage/tables.ts'
import type { Link, LinkId } from './link.ts'

/**
 * The link of a row that was found by this id. The id is verified as well, because an index can lead to another row.
 *
 * @throws {StorageError} `corrupt`
 */
export function readLink(row: LinkRow, linkId: LinkId = row.link_id): Link {
  if (isLinkDamaged({ ...row, link_id: linkId }))
    throw new StorageError('corrupt', `The row links/${linkId} is damaged`)
  return toLink(row)
}

/** Whether a link that has a checksum has changed on the disk. */
export function isLinkDamaged(row: LinkRow): boolean {
  return row.row_checksum !== null && row.row_checksum !== computeLinkChecksum(row)
}

/** The CRC-32 of what describes a link: all but its state and the time of its last change. It finds accidents, not forgery. */
export function computeLinkChecksum(row: Omit<LinkRow, 'row_checksum'>): number {
  return crc32(
    JSON.stringify([
      ...[row.link_id, row.workspace_id, row.name, row.can_expire, row.expires_in, row.expires_at],
      ...[row.prefer_oauth, row.category, row.definition_id, row.definition_ids],
      ...[row.max_accounts, row.max_accounts_per_identifier, row.allowed_origins],
      ...[row.redirect_urls, row.created_at, row.sessions_only],
    ]),
  )
}

/** The link of a row, without verifying it. */
export function toLink(row: LinkRow): Link {
  return {
    linkId: row.link_id,
    workspaceId: row.workspace_id,
    name: row.name,
    canExpire: row.can_expire === 1,
    expiresIn: row.expires_in,
    expiresAt: row.expires_at,
    preferOAuth: row.prefer_oauth === 1,
    categories: JSON.parse(row.category) as Category[],
    definitionIds: parseDefinitionIds(row),
    maxAccounts: row.max_accounts,
    maxAccountsPerIdentifier: row.max_accounts_per_identifier,
    allowedOrigins: JSON.parse(row.allowed_origins) as string[],
    redirectUrls: JSON.parse(row.redirect_urls) as string[],
    sessionsOnly: row.sessions_only === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revokedAt: row.revoked_at,
  }
}

function parseDefinitionIds({ definition_id: id, definition_ids: ids }: LinkRow): DefinitionId[] {
  const parsed = JSON.parse(ids) as DefinitionId[]
  return parsed.length > 0 || id === null ? parsed : [id]
}
