import type { Category } from '../../integrations/definitions/category.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { defineRowChecksum, type WithChecksum } from '../../platform/storage/row-checksum.ts'
import type { LinkRow } from '../../platform/storage/tables.ts'
import type { Link, LinkId } from './link.ts'

/** Of what describes a link: all but its state and the time of its last change. */
export const LINK_CHECKSUM = defineRowChecksum({
  ...({ table: 'links', key: 'link_id', storedIn: 'link_checksums' } as const),
  columns: [
    ...(['link_id', 'workspace_id', 'name', 'can_expire', 'expires_in', 'expires_at'] as const),
    ...(['prefer_oauth', 'category', 'definition_id', 'definition_ids', 'max_accounts'] as const),
    ...(['max_accounts_per_identifier', 'allowed_origins', 'redirect_urls'] as const),
    ...(['created_at', 'sessions_only'] as const),
  ],
})

/**
 * The link of a row that was found by this id. The id is verified as well, because an index can lead to another row.
 *
 * @throws {StorageError} `corrupt`
 */
export function readLink(row: WithChecksum<LinkRow>, linkId: LinkId = row.link_id): Link {
  return toLink(LINK_CHECKSUM.verify(row, { link_id: linkId }))
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
