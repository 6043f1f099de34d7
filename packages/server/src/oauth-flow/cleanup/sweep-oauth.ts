import type { LoadGrantDeps } from '../../accounts/token-refresh/grant/load-grant.ts'
import {
  type OrphanedGrantRef,
  type RevokeOrphanedTokensDeps,
  revokeOrphanedTokens,
} from '../../accounts/token-refresh/grant/revoke-orphaned-tokens.ts'
import type { OAuthSessionStore } from '../session/oauth-session-store.ts'
import type { PendingAccountStore } from '../session/pending-account-store.ts'
import { expireUnconfirmedAccounts } from './expire-unconfirmed-accounts.ts'
import { expireUnconfirmedReconnects } from './expire-unconfirmed-reconnects.ts'

export interface SweepOAuthDeps extends LoadGrantDeps, RevokeOrphanedTokensDeps {
  readonly oauthSessions: OAuthSessionStore
  readonly pendingAccounts: PendingAccountStore
  readonly now: () => number
}

/** How long an attempt is remembered, so that a late visitor is told that it ended. */
const RETENTION_MS = 24 * 60 * 60_000
/** Of one sweep; the next one takes the rest. */
const BATCH_SIZE = 100
const CONCURRENCY = 8
/** Renewal and the end of the process wait for a sweep. */
const REVOCATION_TIMEOUT_MS = 5_000

/**
 * For the background: ends what nobody confirmed in time, forgets attempts that ended long ago, and only then revokes
 * what was left behind, in five seconds at most: no provider keeps anything from being erased.
 */
export async function sweepOAuth(deps: SweepOAuthDeps): Promise<void> {
  const accounts = await expireUnconfirmedAccounts(deps, BATCH_SIZE)
  const reconnects = await expireUnconfirmedReconnects(deps, BATCH_SIZE)
  await deps.database.transaction((trx) =>
    deps.oauthSessions.sweep(trx, deps.now(), deps.now() - RETENTION_MS),
  )
  await revokeAll(deps, [...accounts, ...reconnects])
}

async function revokeAll(deps: SweepOAuthDeps, grants: readonly OrphanedGrantRef[]): Promise<void> {
  const signal = AbortSignal.timeout(REVOCATION_TIMEOUT_MS)
  const queue = grants.values()
  const work = async () => {
    for (const grant of queue) await revokeOrphanedTokens(deps, grant, signal)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
}
