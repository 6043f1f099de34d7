import type { IntegrationAccount } from '../accounts/schemas/account.ts'
import type { Category } from '../definitions/category.ts'
import { toTimestamp } from '../http/schema.ts'
import type { LinkRow } from '../storage/tables.ts'
import type { Link } from './link.ts'

/** Serializes a link and its accounts. */
export function serializeLink(row: LinkRow, accounts: IntegrationAccount[]): Link {
  return {
    linkId: row.link_id,
    linkName: row.name,
    canExpire: row.can_expire === 1,
    preferOAuth: row.prefer_oauth === 1,
    expiresIn: row.expires_in,
    category: JSON.parse(row.category) as Category[],
    workspaceId: row.workspace_id,
    maxAccounts: row.max_accounts,
    maxAccountsPerIdentifier: row.max_accounts_per_identifier,
    allowedOrigins: JSON.parse(row.allowed_origins) as string[],
    redirectURLs: JSON.parse(row.redirect_urls) as string[],
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    IntegrationAccount: accounts,
  }
}
