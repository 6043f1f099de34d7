import type { Caller } from '../../access/auth/caller.ts'
import type { Database } from '../../platform/storage/database.ts'
import { validateAllowlists } from './create-link.ts'
import type { LinkId } from './link.ts'
import { changeLink } from './link-change-store.ts'
import { createLinkRevokedError } from './link-policy.ts'
import type { UpdateLink } from './link-requests.ts'
import { type LinkStore, requireLink } from './link-store.ts'
import { recordLinkChange } from './record-link-change.ts'
import { type LinkSettings, serializeLink } from './schemas.ts'

export interface UpdateLinkDeps {
  readonly database: Database
  readonly links: LinkStore
  readonly now: () => number
  readonly baseUrl: () => string
}

/**
 * Changes the name, the limits and the allowlists in the request, and leaves the others unchanged. Accounts that exceed a
 * lower limit remain. What a link allows to connect never changes, because its URL was given to others.
 *
 * @throws ApiError `validation_failed`, `link_not_found`, `link_revoked`
 */
export async function updateLink(
  deps: UpdateLinkDeps,
  caller: Caller,
  linkId: LinkId,
  input: UpdateLink,
): Promise<LinkSettings> {
  validateAllowlists(input)
  await requireLink(deps, caller, linkId)
  const now = deps.now()
  const change = {
    name: input.linkName ?? undefined,
    maxAccounts: input.maxAccounts,
    maxAccountsPerIdentifier: input.maxAccountsPerIdentifier,
    allowedOrigins: input.allowedOrigins ?? undefined,
    redirectUrls: input.redirectURLs ?? undefined,
    updatedAt: now,
  }
  return deps.database.transaction(async (trx) => {
    const link = await changeLink(trx, caller, linkId, change)
    if (link === undefined) throw createLinkRevokedError()
    const { IntegrationAccount: _, ...response } = serializeLink(link, [], deps.baseUrl())
    const changed = Object.keys(input)
    await recordLinkChange(deps, trx, caller, now, {
      type: 'link.updated',
      link,
      changed,
      response,
    })
    return response
  })
}
