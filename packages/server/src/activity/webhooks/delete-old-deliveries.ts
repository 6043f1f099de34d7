import type { DeliveryCleanUpStore } from './delivery-clean-up-store.ts'

/**
 * Background work: deletes what was delivered after 7 days, what failed after 30, and all that belongs to deleted endpoints,
 * in batches. The next round continues.
 */
export async function deleteOldDeliveries({
  deliveries,
  now,
}: {
  readonly deliveries: DeliveryCleanUpStore
  readonly now: () => number
}): Promise<void> {
  const steps = [
    () => deliveries.deleteSettled('delivered', now() - DELIVERED_DAYS * DAY_MS, BATCH),
    () => deliveries.deleteSettled('failed', now() - FAILED_DAYS * DAY_MS, BATCH),
    () => deliveries.deleteOfDeletedEndpoints(BATCH),
  ]
  for (const step of steps)
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) if ((await step()) < BATCH) break
}

const DELIVERED_DAYS = 7
const FAILED_DAYS = 30
const DAY_MS = 24 * 60 * 60_000
/** SQLite deletes them on the main thread. */
const BATCH = 250
const MAX_BATCHES = 200
