import type { OpenGrantDeps } from '../../account/renewal/grant/open-grant.ts'
import {
  type LeftBehind,
  type RevokeAbandonedDeps,
  revokeAbandoned,
} from '../../account/renewal/grant/revoke-abandoned.ts'
import type { AttemptStore } from '../attempt/attempt-store.ts'
import type { PendingAccountStore } from '../attempt/pending-account-store.ts'
import { endOverdueAccounts } from './end-overdue-accounts.ts'
import { endOverdueHolds } from './end-overdue-holds.ts'

export interface SweepOAuthDeps extends OpenGrantDeps, RevokeAbandonedDeps {
  readonly attempts: AttemptStore
  readonly pendingAccounts: PendingAccountStore
  readonly now: () => number
}

/** How long an attempt is remembered, so that a late visitor is told that it ended. */
const REMEMBERED_MS = 24 * 60 * 60_000
/** Of one sweep; the next one takes the rest. */
const LIMIT = 100
const AT_ONCE = 8
/** Renewal and the end of the process wait for a sweep. */
const WITHIN_MS = 5_000

/**
 * For the background: ends what nobody confirmed in time, forgets attempts that ended long ago, and only then revokes
 * what was left behind, in five seconds at most: no provider keeps anything from being erased.
 */
export async function sweepOAuth(deps: SweepOAuthDeps): Promise<void> {
  const accounts = await endOverdueAccounts(deps, LIMIT)
  const holds = await endOverdueHolds(deps, LIMIT)
  await deps.database.transaction((trx) =>
    deps.attempts.sweep(trx, deps.now(), deps.now() - REMEMBERED_MS),
  )
  await revokeAll(deps, [...accounts, ...holds])
}

async function revokeAll(deps: SweepOAuthDeps, grants: readonly LeftBehind[]): Promise<void> {
  const signal = AbortSignal.timeout(WITHIN_MS)
  const queue = grants.values()
  const work = async () => {
    for (const grant of queue) await revokeAbandoned(deps, grant, signal)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}
