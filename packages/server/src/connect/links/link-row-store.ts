import type { Category } from '../../integrations/definitions/category.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { LinkRow } from '../../platform/storage/tables.ts'
import type { Link } from './link.ts'

/** The link of a row. */
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
