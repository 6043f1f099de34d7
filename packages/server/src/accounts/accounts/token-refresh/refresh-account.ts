import { setTimeout as sleep } from 'node:timers/promises'
import { type AcquiredLease, acquireLease, LEASE_CLEARED, withLease } from './acquire-lease.ts'
import { loadGrant } from './grant/load-grant.ts'
import { refreshNestedTokens } from './grant/refresh-nested-tokens.ts'
import { requestToken, type TokenRequestOutcome } from './grant/request-token.ts'
import { saveRefreshResult } from './grant/save-refresh-result.ts'
import { saveWithRetries } from './grant/save-with-retries.ts'
import { getGrantTokens } from './grant.ts'
import { runOnce } from './refresh-cache.ts'
import { toRefreshOutcome } from './refresh-counts.ts'
import { REFRESH_TIMEOUTS, type RefreshDeps } from './refresh-deps.ts'
import { getClientErrorBackoff, needsRefresh, type RefreshReason } from './refresh-schedule.ts'
import type { AccountSnapshot } from './refresh-store.ts'
import { revokeAfterDelete } from './revocation/revoke-grant.ts'

/**
 * Refreshes the tokens of this snapshot, or waits for the request or node that is refreshing them. Sends one token
 * request per expiry: callers in one process share a promise, and all processes share a lease in the database. Stores
 * the result in the account; callers must read the account again.
 */
export function refreshAccount(
  deps: RefreshDeps,
  snapshot: AccountSnapshot,
  reason: RefreshReason,
): Promise<void> {
  return runOnce(deps.refreshCache.inFlight, snapshot.row.accountId, async () => {
    const lease = await acquireLease(deps, snapshot.row)
    if (lease === undefined) await waitForOtherRefresh(deps, snapshot, reason)
    else await withLease(lease, () => refreshWithLease(deps, lease, reason))
  })
}

/**
 * Refreshes the tokens of a leased account, and releases the lease. Returns the result of the token request; undefined when
 * none was due, or the lease was lost.
 */
export async function refreshWithLease(
  deps: RefreshDeps,
  lease: AcquiredLease,
  reason: RefreshReason,
): Promise<TokenRequestOutcome['result'] | undefined> {
  // Re-check: another node may have tried and failed before we acquired the lease.
  if (!needsRefresh(lease.row, lease.now(), reason)) return releaseUnused(lease, reason)
  try {
    return await requestAndSave(deps, lease)
  } catch (error) {
    deps.refreshCounts.add('failed')
    throw error
  }
}

async function requestAndSave(
  deps: RefreshDeps,
  lease: AcquiredLease,
): Promise<TokenRequestOutcome['result'] | undefined> {
  const { grant, failure } = await refreshNestedTokens(
    deps,
    lease,
    await loadGrant(deps, lease.row),
  )
  const attempt = failure ?? (await requestToken(deps, lease, grant))
  if (attempt === undefined) return void (await lease.update(LEASE_CLEARED))
  const save = () => saveRefreshResult(deps, lease, grant, attempt)
  const isSaved = await saveWithRetries(deps, lease, save)
  deps.refreshCounts.add(isSaved ? toRefreshOutcome(attempt.result) : 'discarded')
  if (isSaved) return attempt.result
  deps.log.warn(
    { accountId: lease.accountId },
    'a token refresh finished too late and was discarded',
  )
  if (attempt.result.kind === 'tokens') {
    const { nested } = getGrantTokens(grant.config)
    await revokeAfterDelete(deps, lease.row, grant, { ...attempt.result.tokens, nested })
  }
  return attempt.result
}

async function releaseUnused(lease: AcquiredLease, { kind }: RefreshReason): Promise<undefined> {
  // An account that is due but cannot be refreshed would be claimed again at once.
  const refreshAt = kind === 'scheduled' ? { refreshAt: lease.now() + getClientErrorBackoff() } : {}
  await lease.update({ ...refreshAt, ...LEASE_CLEARED })
}

/**
 * Waits until the row changes, the lease expires or the wait times out. Jitter keeps nodes from polling in lockstep.
 */
async function waitForOtherRefresh(
  deps: RefreshDeps,
  snapshot: AccountSnapshot,
  reason: RefreshReason,
): Promise<void> {
  const { waitMs } = deps.refreshTimeouts ?? REFRESH_TIMEOUTS
  const deadline = performance.now() + waitMs
  while (performance.now() < deadline) {
    await sleep(40 + Math.random() * 120)
    const latest = await deps.refreshStore.find(snapshot.row.accountId)
    if (latest === undefined || !needsRefresh(latest.row, latest.readAt, reason)) return
    if (latest.row.credentialVersion !== snapshot.row.credentialVersion) return
    if (latest.row.leaseUntil === null || latest.row.leaseUntil < latest.readAt) return
  }
}
