import { validationFailed } from '../../errors.ts'
import type { LinkRow } from '../../storage/tables.ts'
import { validateFrameOrigins, validateRedirectUrls } from '../../workspaces/validate-allowlists.ts'
import type { CreateLink } from '../link.ts'

/** The columns that hold the limits and allowlists of a link. */
export type LinkPolicy = Pick<
  LinkRow,
  'max_accounts' | 'max_accounts_per_identifier' | 'allowed_origins' | 'redirect_urls'
>

/**
 * Parses the limits and allowlists of a new link.
 *
 * @throws ApiError `validation_failed`, listing every entry that could never match
 */
export function parseLinkPolicy(input: CreateLink): LinkPolicy {
  const origins = input.allowedOrigins ?? []
  const urls = input.redirectURLs ?? []
  const fieldErrors = {
    ...validateFrameOrigins('allowedOrigins', origins),
    ...validateRedirectUrls('redirectURLs', urls),
  }
  if (Object.keys(fieldErrors).length > 0) throw validationFailed(fieldErrors)
  return {
    max_accounts: input.maxAccounts ?? null,
    max_accounts_per_identifier: input.maxAccountsPerIdentifier ?? null,
    allowed_origins: JSON.stringify(origins),
    redirect_urls: JSON.stringify(urls),
  }
}
