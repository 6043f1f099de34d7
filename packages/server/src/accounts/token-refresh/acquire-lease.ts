import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountRow } from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'
import { REFRESH_TIMEOUTS, type RefreshDeps } from './refresh-deps.ts'
import { refreshInProgress } from './refresh-errors.ts'
import type { Lease } from './refresh-store.ts'

/** The sole right to use an account's refresh token, for a while. */
export interface AcquiredLease extends Lease {
  /** The account, read under the lease. */
  readonly row: AccountRow
  /** The shared clock, carried on by this process's monotonic one. */
  readonly now: () => number
  /** Whether a request that is sent now ends while the lease lasts. False in a process that was stopped meanwhile. */
  readonly maySend: () => boolean
  /** Writes, and optionally more in the same transaction; false when somebody else has taken over: nothing is written. */
  update(
    change: Partial<AccountRow>,
    inSameTransaction?: (trx: Transaction) => Promise<void>,
  ): Promise<boolean>
}

/** Takes the lease for the credentials that were seen; undefined when another has it, or they are not the newest. */
export async function acquireLease(
  deps: RefreshDeps,
  account: Pick<AccountRow, 'account_id' | 'credential_version'>,
): Promise<AcquiredLease | undefined> {
  const { leaseMs, providerMs } = deps.refreshTimeouts ?? REFRESH_TIMEOUTS
  const lease: Lease = {
    accountId: account.account_id,
    // One per lease, not per process: a late write of our own must not pass for a new one's.
    owner: randomUUID(),
    version: account.credential_version,
  }
  const startedAt = performance.now()
  const snapshot = await deps.database.transaction((trx) =>
    deps.refreshStore.acquireLease(trx, lease, leaseMs),
  )
  if (snapshot === undefined) return undefined
  const monotonicReadAt = performance.now()
  return {
    ...lease,
    row: snapshot.row,
    now: () => snapshot.readAt + Math.floor(performance.now() - monotonicReadAt),
    maySend: () => performance.now() - startedAt < leaseMs - providerMs,
    update: (change, inSameTransaction) =>
      deps.database.transaction(async (trx) => {
        if (!(await deps.refreshStore.updateWithLease(trx, lease, change))) return false
        await inSameTransaction?.(trx)
        return true
      }),
  }
}

/** The columns that end a lease. */
export const LEASE_CLEARED = { lease_owner: null, lease_until: null } as const

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

/** Runs work under a lease. What fails gives the lease back; that a request was sent stays known. */
export async function withLease<T>(lease: AcquiredLease, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await lease.update(LEASE_CLEARED).catch(() => false)
    throw error
  }
}

/** The same for work that writes nothing itself: it gives the lease back whatever comes of it. */
export async function withReadOnlyLease<T>(
  lease: AcquiredLease,
  work: () => Promise<T>,
): Promise<T> {
  const result = await withLease(lease, work)
  await lease.update(LEASE_CLEARED)
  return result
}
