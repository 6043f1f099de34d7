import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../auth/caller.ts'
import type { Database } from '../storage/database.ts'
import { type GetLinkDeps, getLink } from './get-link.ts'
import type { LinkId } from './link.ts'
import { requireLink } from './link-store.ts'

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
    if (!(await deps.links.revoke(trx, caller, linkId, now))) return
    await recordAudit(trx, caller, now, {
      action: 'link.revoked',
      workspaceId: link.workspaceId,
      subject: linkId.slice(0, 8),
    })
  })
  return getLink(deps, caller, linkId, undefined)
}
