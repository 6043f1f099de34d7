import { randomUUID } from 'node:crypto'
import type { AccountRow } from '../../../storage/tables.ts'
import type { Transaction } from '../../../storage/transaction.ts'
import { RENEWAL_TIMES, type RenewalDeps } from '../renewal-deps.ts'
import type { Lease } from './renewal-store.ts'

/** The sole right to use an account's refresh token, for a while. */
export interface HeldLease extends Lease {
  /** The account, read under the lease. */
  readonly row: AccountRow
  /** The shared clock, carried on by this process's monotonic one. */
  readonly now: () => number
  /** Whether a request that is sent now ends while the lease lasts. False in a process that was stopped meanwhile. */
  readonly maySend: () => boolean
  /** Writes, and optionally more in the same transaction; false when somebody else has taken over: nothing is written. */
  write(change: Partial<AccountRow>, more?: (trx: Transaction) => Promise<void>): Promise<boolean>
}

/** Takes the lease for the credentials that were seen; undefined when another has it, or they are not the newest. */
export async function takeLease(
  deps: RenewalDeps,
  seen: Pick<AccountRow, 'account_id' | 'credential_version'>,
): Promise<HeldLease | undefined> {
  const { leaseMs, providerMs } = deps.renewalTimes ?? RENEWAL_TIMES
  const lease: Lease = {
    accountId: seen.account_id,
    // One per lease, not per process: a late write of our own must not pass for a new one's.
    owner: randomUUID(),
    version: seen.credential_version,
  }
  const startedAt = performance.now()
  const taken = await deps.database.transaction((trx) => deps.renewals.take(trx, lease, leaseMs))
  if (taken === undefined) return undefined
  const readAt = performance.now()
  return {
    ...lease,
    row: taken.row,
    now: () => taken.at + Math.floor(performance.now() - readAt),
    maySend: () => performance.now() - startedAt < leaseMs - providerMs,
    write: (change, more) =>
      deps.database.transaction(async (trx) => {
        if (!(await deps.renewals.write(trx, lease, change))) return false
        await more?.(trx)
        return true
      }),
  }
}

/** The columns that end a lease. */
export const RELEASED = { lease_owner: null, lease_until: null } as const
