import type { Category } from '../definitions/category.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import type { LinkRow } from '../storage/tables.ts'
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

/** The row of a new link. */
export function toLinkRow(link: Link): LinkRow {
  return {
    link_id: link.linkId,
    workspace_id: link.workspaceId,
    name: link.name,
    can_expire: link.canExpire ? 1 : 0,
    expires_in: link.expiresIn,
    expires_at: link.expiresAt,
    prefer_oauth: link.preferOAuth ? 1 : 0,
    category: JSON.stringify(link.categories),
    // The previous version of the service reads this column only.
    definition_id: link.definitionIds[0] ?? null,
    definition_ids: JSON.stringify(link.definitionIds),
    max_accounts: link.maxAccounts,
    max_accounts_per_identifier: link.maxAccountsPerIdentifier,
    allowed_origins: JSON.stringify(link.allowedOrigins),
    redirect_urls: JSON.stringify(link.redirectUrls),
    created_at: link.createdAt,
    updated_at: link.updatedAt,
    revoked_at: link.revokedAt,
    expiry_recorded: 0,
    sessions_only: link.sessionsOnly ? 1 : 0,
  }
}
