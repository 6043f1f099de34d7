import { loadOrphanedGrant } from '../../accounts/token-refresh/grant/load-orphaned-grant.ts'
import type { OrphanedGrantRef } from '../../accounts/token-refresh/grant/revoke-orphaned-tokens.ts'
import { recordAudit, SYSTEM_ACTOR } from '../../audit/audit-store.ts'
import type { SweepOAuthDeps } from './sweep-oauth.ts'

/** Ends and erases accounts that nobody confirmed in time, at most `limit`; answers what they leave to be revoked. */
export async function expireUnconfirmedAccounts(
  deps: SweepOAuthDeps,
  limit: number,
): Promise<OrphanedGrantRef[]> {
  const now = deps.now()
  const ids = await deps.pendingAccounts.findOverdue(deps.database.read, now, limit)
  if (ids.length === 0) return []
  const expired = await deps.database.transaction(
    async (trx) => {
      const rows = await deps.pendingAccounts.deleteOverdue(trx, ids, now)
      for (const { account_id: subject, workspace_id: workspaceId } of rows)
        await recordAudit(trx, SYSTEM_ACTOR, now, {
          action: 'account.unconfirmed',
          workspaceId,
          subject,
        })
      return rows
    },
    { serializable: true },
  )
  return expired.map((row) => ({
    subject: row.account_id,
    open: () => loadOrphanedGrant(deps, row),
  }))
}
