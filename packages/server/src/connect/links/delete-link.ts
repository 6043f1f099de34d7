import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { Database } from '../../platform/storage/database.ts'
import { type GetLinkDeps, getLink } from './get-link.ts'
import type { LinkId } from './link.ts'
import { revokeLink } from './link-change-store.ts'
import { LinkParams } from './link-params.ts'
import { requireLink } from './link-store.ts'
import { recordLinkChange } from './record-link-change.ts'
import { ExtendedLink } from './schemas.ts'

export interface DeleteLinkDeps extends GetLinkDeps {
  readonly database: Database
}

export const deleteLinkOperation = defineOperation({
  id: 'deleteLink',
  sdk: 'links.delete',
  method: 'DELETE',
  path: '/v1/link/:linkId',
  tag: 'Links',
  summary: 'Revoke a link',
  description:
    'No further accounts can be added through the link. Repeated calls return the same response.',
  scope: 'links:write',
  params: LinkParams,
  response: ExtendedLink,
  returns: 'The revoked link.',
  errors: ['link_not_found'],
  audit: 'link.revoked',
  handle: (deps: DeleteLinkDeps, caller, { params }) => deleteLink(deps, caller, params.linkId),
})

/**
 * Revokes a link: no further accounts can be added through it. Its existing accounts remain. Repeated calls return
 * the same response.
 *
 * @throws ApiError `link_not_found`
 */
export async function deleteLink(
  deps: DeleteLinkDeps,
  caller: Caller,
  linkId: LinkId,
): Promise<string> {
  const link = await requireLink(deps, caller, linkId)
  const now = deps.now()
  await deps.database.transaction(async (trx) => {
    if (!(await revokeLink(trx, caller, linkId, now))) return
    const revoked = { ...link, updatedAt: now, revokedAt: now }
    await recordLinkChange(deps, trx, caller, now, { type: 'link.revoked', link: revoked })
  })
  return (await getLink(deps, caller, linkId, {})).json
}
