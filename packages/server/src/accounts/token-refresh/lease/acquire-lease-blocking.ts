import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountRow } from '../../../storage/tables.ts'
import { REFRESH_TIMEOUTS, type RefreshDeps } from '../refresh-deps.ts'
import { refreshInProgress } from '../refresh-errors.ts'
import { type AcquiredLease, acquireLease } from './acquire-lease.ts'

/**
 * Takes the lease of an account, waiting for whoever has it: `row` is the account's newest, not the one that was seen.
 *
 * @throws ApiError `renewal_in_progress` when the wait gets too long
 */
export async function acquireLeaseBlocking(
  deps: RefreshDeps,
  account: Pick<AccountRow, 'account_id' | 'credential_version'>,
): Promise<AcquiredLease> {
  const deadline = performance.now() + (deps.refreshTimeouts ?? REFRESH_TIMEOUTS).waitMs
  let latest = account
  while (performance.now() < deadline) {
    const lease = await acquireLease(deps, latest)
    if (lease !== undefined) return lease
    await sleep(40 + Math.random() * 120)
    latest = (await deps.refreshStore.find(account.account_id))?.row ?? latest
  }
  throw refreshInProgress()
}
