import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StatisticsEvent } from '../../../activity/statistics/statistics.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import type { Account, AccountUpdate } from '../account.ts'
import { REFRESH_TIMEOUTS, type RefreshDeps } from './refresh-deps.ts'
import { createRefreshInProgressError } from './refresh-errors.ts'
import type { AccountSnapshot, Lease } from './refresh-store.ts'

/** The exclusive right to use an account's refresh token until the lease expires. */
export interface AcquiredLease extends Lease {
  /** The account row, read when the lease was acquired. */
  readonly row: Account
  /** Epoch milliseconds of the shared clock, advanced by this process's monotonic clock. */
  readonly now: () => number
  /** Epoch milliseconds of the node's clock, as in `account_health`. */
  readonly nodeNow: () => number
  /**
   * Whether a request sent now completes before the lease expires. False in a process that was suspended for too long.
   */
  readonly maySend: () => boolean
  /** Milliseconds until the lease expires; negative afterwards. */
  readonly remainingMs: () => number
  /** Counts what happens to the account. */
  readonly count: (event: Pick<StatisticsEvent, 'metric' | 'code'>) => void
  /**
   * Updates the account, and runs `inSameTransaction` in the same transaction. Returns false and writes nothing when
   * the lease was lost. A function decides in the transaction, before the account is locked.
   */
  update(
    change: AccountUpdate | ((trx: Transaction) => Promise<AccountUpdate>),
    inSameTransaction?: (trx: Transaction) => Promise<void>,
  ): Promise<boolean>
}

/** Acquires the lease for this version of the credentials; undefined when it is taken or the version is outdated. */
export async function acquireLease(
  deps: RefreshDeps,
  account: Pick<Account, 'accountId' | 'credentialVersion'>,
): Promise<AcquiredLease | undefined> {
  const { leaseMs } = deps.refreshTimeouts ?? REFRESH_TIMEOUTS
  const lease: Lease = {
    accountId: account.accountId,
    // One per lease, not per process: a late write under an old lease must not pass as one under a new lease.
    owner: randomUUID(),
    version: account.credentialVersion,
  }
  const startedAt = performance.now()
  const snapshot = await deps.database.transaction((trx) =>
    deps.refreshStore.acquireLease(trx, lease, leaseMs),
  )
  return snapshot && createAcquiredLease(deps, lease, snapshot, startedAt)
}

/**
 * A lease that was just acquired, in a transaction that began at the monotonic time `startedAt`, in milliseconds.
 */
export function createAcquiredLease(
  deps: RefreshDeps,
  lease: Lease,
  snapshot: AccountSnapshot,
  startedAt: number,
): AcquiredLease {
  const { leaseMs, providerMs } = deps.refreshTimeouts ?? REFRESH_TIMEOUTS
  const monotonicReadAt = performance.now()
  return {
    ...lease,
    row: snapshot.row,
    nodeNow: deps.now,
    now: () => snapshot.readAt + Math.floor(performance.now() - monotonicReadAt),
    maySend: () => performance.now() - startedAt < leaseMs - providerMs,
    remainingMs: () => startedAt + leaseMs - performance.now(),
    count: (event) => {
      const { workspaceId, definitionId } = snapshot.row
      deps.statistics?.add({ ...event, workspaceId, definitionId })
    },
    update: (change, inSameTransaction) =>
      deps.database.transaction(async (trx) => {
        const decided = typeof change === 'function' ? await change(trx) : change
        if (!(await deps.refreshStore.updateWithLease(trx, lease, decided))) return false
        await inSameTransaction?.(trx)
        return true
      }),
  }
}

/** The column values that release a lease. */
export const LEASE_CLEARED = { leaseOwner: null, leaseUntil: null } as const satisfies AccountUpdate

/**
 * Acquires the lease of an account and waits while another request or node holds it. The lease's `row` is the latest
 * version of the account, which may be newer than `account`.
 *
 * @throws ApiError `refresh_in_progress` when the wait times out
 */
export async function acquireLeaseBlocking(
  deps: RefreshDeps,
  account: Pick<Account, 'accountId' | 'credentialVersion'>,
): Promise<AcquiredLease> {
  const deadline = performance.now() + (deps.refreshTimeouts ?? REFRESH_TIMEOUTS).waitMs
  let latest = account
  while (performance.now() < deadline) {
    const lease = await acquireLease(deps, latest)
    if (lease !== undefined) return lease
    await sleep(40 + Math.random() * 120)
    latest = (await deps.refreshStore.find(account.accountId))?.row ?? latest
  }
  throw createRefreshInProgressError()
}

/**
 * Runs `work`, which releases the lease itself; releases it here only when `work` fails. `refreshSentAt` is not
 * reset, because a request may have been sent.
 */
export async function withLease<T>(lease: AcquiredLease, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await lease.update(LEASE_CLEARED).catch(() => false)
    throw error
  }
}

/** Like `withLease` for work that does not release the lease itself: releases it in any case. */
export async function withReadOnlyLease<T>(
  lease: AcquiredLease,
  work: () => Promise<T>,
): Promise<T> {
  const result = await withLease(lease, work)
  await lease.update(LEASE_CLEARED)
  return result
}
