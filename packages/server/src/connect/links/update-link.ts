import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { Database } from '../../platform/storage/database.ts'
import { validateAllowlists } from './create-link.ts'
import type { LinkId } from './link.ts'
import { changeLink } from './link-change-store.ts'
import { LinkParams } from './link-params.ts'
import { createLinkRevokedError } from './link-policy.ts'
import { UpdateLink } from './link-requests.ts'
import { type LinkStore, requireLink } from './link-store.ts'
import { recordLinkChange } from './record-link-change.ts'
import { LinkSettings, serializeLink } from './schemas.ts'

export interface UpdateLinkDeps {
  readonly database: Database
  readonly links: LinkStore
  readonly now: () => number
  readonly baseUrl: () => string
}

export const updateLinkOperation = defineOperation({
  id: 'updateLink',
  sdk: 'links.update',
  method: 'POST',
  path: '/v1/link/:linkId',
  tag: 'Links',
  summary: 'Update a link',
  description:
    'Changes its name, limits or allowlists. Fields that are not sent keep their values. What it allows to connect cannot be changed: create another link.',
  scope: 'links:write',
  params: LinkParams,
  body: UpdateLink,
  response: LinkSettings,
  returns: 'The link.',
  errors: ['link_not_found', 'link_revoked'],
  audit: 'link.updated',
  handle: (deps: UpdateLinkDeps, caller, { params, body }) =>
    updateLink(deps, caller, params.linkId, body),
})

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
