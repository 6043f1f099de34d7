import { SYSTEM_ACTOR } from '../../../../platform/record/change.ts'
import type { EventType } from '../../../../platform/record/event-types.ts'
import type { Transaction } from '../../../../platform/storage/database.ts'
import type { AccountUpdate } from '../../account.ts'
import { recordAccountChange } from '../../record-account-change.ts'
import { type AcquiredLease, LEASE_CLEARED } from '../acquire-lease.ts'

/**
 * Marks an account that the user must reauthorize. A pending account keeps its status until it is confirmed; its next
 * use detects the problem again. Returns false and writes nothing when the lease was lost.
 */
export async function markNeedsReauth(lease: AcquiredLease, reason: string): Promise<boolean> {
  const now = lease.now()
  if (lease.row.status === 'pending')
    return lease.update({
      tokenExpiresAt: now,
      refreshAt: null,
      refreshSentAt: null,
      ...LEASE_CLEARED,
    })
  const change: AccountUpdate = {
    status: 'needs_reauth',
    statusReason: reason,
    refreshAt: null,
    refreshSentAt: null,
    updatedAt: now,
    ...LEASE_CLEARED,
  }
  return updateStatus(lease, change, { type: 'account.needs_reauth' }, now)
}

/** A change of the status, and how it is recorded. */
export interface StatusChange {
  readonly type: Extract<EventType, 'account.error' | 'account.needs_reauth' | 'account.recovered'>
  /** False if the event of the OAuth app stands for those of its accounts. Default: true. */
  readonly isPublished?: boolean
  readonly recordClient?: ((trx: Transaction) => Promise<void>) | undefined
}

/** Stores a change of the status and records it. Returns false and writes nothing when the lease was lost. */
export function updateStatus(
  lease: AcquiredLease,
  change: AccountUpdate,
  { type, isPublished = true, recordClient }: StatusChange,
  now: number,
): Promise<boolean> {
  const reason = change.statusReason
  const previous = { status: lease.row.status }
  return lease.update(change, async (trx) => {
    await recordAccountChange(trx, SYSTEM_ACTOR, now, {
      action: type,
      accountId: lease.accountId,
      ...(reason == null ? {} : { detail: { reason } }),
      ...(isPublished ? { type, data: { previous, ...(reason == null ? {} : { reason }) } } : {}),
    })
    await recordClient?.(trx)
  })
}
