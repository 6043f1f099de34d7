import { recordAudit } from '../../audit/audit-store.ts'
import type { Database } from '../../storage/database.ts'
import type { Transaction } from '../../storage/transaction.ts'
import type { AttemptStore } from './attempt-store.ts'
import type { PendingAccountStore } from './pending-account-store.ts'

export interface EndOverdueDeps {
  readonly pendingAccounts: PendingAccountStore
  readonly now: () => number
}

export interface SweepOAuthDeps extends EndOverdueDeps {
  readonly database: Database
  readonly attempts: AttemptStore
}

/** How long an attempt is remembered, so that a late visitor is told that it ended. */
const REMEMBERED_MS = 24 * 60 * 60_000

/** Ends and erases accounts that nobody confirmed in time. */
export async function endOverdueAccounts(deps: EndOverdueDeps, trx: Transaction): Promise<void> {
  const now = deps.now()
  for (const account of await deps.pendingAccounts.endOverdue(trx, now))
    await recordAudit(trx, SYSTEM, now, {
      action: 'account.unconfirmed',
      workspaceId: account.workspace_id,
      subject: account.account_id,
    })
}

/** For the background: ends overdue accounts and forgets attempts that ended long ago. */
export async function sweepOAuth(deps: SweepOAuthDeps): Promise<void> {
  await deps.database.transaction(async (trx) => {
    await endOverdueAccounts(deps, trx)
    const now = deps.now()
    await deps.attempts.sweep(trx, now, now - REMEMBERED_MS)
  })
}

/** Nobody asked for it. */
const SYSTEM = { userId: '', tokenId: '', requestId: '' }
