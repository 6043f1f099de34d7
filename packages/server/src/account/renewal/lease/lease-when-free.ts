import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountRow } from '../../../storage/tables.ts'
import { RENEWAL_TIMES, type RenewalDeps } from '../renewal-deps.ts'
import { renewalInProgress } from '../renewal-errors.ts'
import { type HeldLease, takeLease } from './held-lease.ts'

/**
 * Takes the lease of an account, waiting for whoever has it: `row` is the account's newest, not the one that was seen.
 *
 * @throws ApiError `renewal_in_progress` when the wait gets too long
 */
export async function leaseWhenFree(
  deps: RenewalDeps,
  seen: Pick<AccountRow, 'account_id' | 'credential_version'>,
): Promise<HeldLease> {
  const until = performance.now() + (deps.renewalTimes ?? RENEWAL_TIMES).waitMs
  let latest = seen
  while (performance.now() < until) {
    const held = await takeLease(deps, latest)
    if (held !== undefined) return held
    await sleep(40 + Math.random() * 120)
    latest = (await deps.renewals.find(seen.account_id))?.row ?? latest
  }
  throw renewalInProgress()
}
