import type { IntegrationAccount } from '../accounts/schemas/account.ts'
import { toTimestamp } from '../http/schema.ts'
import type { Link } from './link.ts'
import type { LinkResponse } from './schemas.ts'

/** Serializes a link and its accounts. */
export function serializeLink(link: Link, accounts: IntegrationAccount[]): LinkResponse {
  return {
    linkId: link.linkId,
    linkName: link.name,
    canExpire: link.canExpire,
    preferOAuth: link.preferOAuth,
    expiresIn: link.expiresIn,
    category: [...link.categories],
    workspaceId: link.workspaceId,
    maxAccounts: link.maxAccounts,
    maxAccountsPerIdentifier: link.maxAccountsPerIdentifier,
    allowedOrigins: [...link.allowedOrigins],
    redirectURLs: [...link.redirectUrls],
    createdAt: toTimestamp(link.createdAt),
    updatedAt: toTimestamp(link.updatedAt),
    IntegrationAccount: accounts,
  }
}
