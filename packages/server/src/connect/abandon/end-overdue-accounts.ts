import { configText, openGrant } from '../../account/renewal/grant/open-grant.ts'
import { recordAudit } from '../../audit/audit-store.ts'
import type { AccountRow } from '../../storage/tables.ts'
import type { AbandonedGrant, LeftBehind } from './revoke-abandoned.ts'
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
        await recordAudit(trx, SYSTEM, now, { action: 'account.unconfirmed', workspaceId, subject })
      return rows
    },
    { serializable: true },
  )
  return ended.map((row) => ({ subject: row.account_id, open: () => grantOf(deps, row) }))
}

/** Nobody asked for it. */
const SYSTEM = { userId: '', tokenId: '', requestId: '' }

async function grantOf(deps: SweepOAuthDeps, row: AccountRow): Promise<AbandonedGrant | undefined> {
  const { type, client, config } = await openGrant(deps, row)
  if (type === undefined || client === undefined) return undefined
  return {
    type,
    client,
    tokens: {
      accessToken: configText(config, 'access_token'),
      refreshToken: configText(config, 'refresh_token'),
    },
    values: { ...config, client_id: client.clientId },
    definitionId: row.definition_id,
    identityId: row.identity_id,
  }
}
