import type { Caller } from '../../access/auth/caller.ts'
import type { Database } from '../../platform/storage/database.ts'
import { type GetLinkDeps, getLink } from './get-link.ts'
import type { LinkId } from './link.ts'
import { revokeLink } from './link-change-store.ts'
import { requireLink } from './link-store.ts'
import { recordLinkChange } from './record-link-change.ts'

export interface DeleteLinkDeps extends GetLinkDeps {
  readonly database: Database
}

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
