import { abandonedGrant } from '../../account/renewal/grant/abandoned-grant.ts'
import type { LeftBehind } from '../../account/renewal/grant/revoke-abandoned.ts'
import { NOBODY, recordAudit } from '../../audit/audit-store.ts'
import type { SweepOAuthDeps } from './sweep-oauth.ts'

/** Ends and erases accounts that nobody confirmed in time, at most `limit`; answers what they leave to be revoked. */
export async function endOverdueAccounts(
  deps: SweepOAuthDeps,
  limit: number,
): Promise<LeftBehind[]> {
  const now = deps.now()
  const ids = await deps.pendingAccounts.overdue(deps.database.read, now, limit)
  if (ids.length === 0) return []
  const ended = await deps.database.transaction(
    async (trx) => {
      const rows = await deps.pendingAccounts.endOverdue(trx, ids, now)
      for (const { account_id: subject, workspace_id: workspaceId } of rows)
        await recordAudit(trx, NOBODY, now, { action: 'account.unconfirmed', workspaceId, subject })
      return rows
    },
    { serializable: true },
  )
  return ended.map((row) => ({ subject: row.account_id, open: () => abandonedGrant(deps, row) }))
}
