import type { IdempotencyRetentionStore } from '../../platform/record/idempotency-retention-store.ts'

/** Background work: deletes expired idempotency keys. */
export async function deleteExpiredKeys(
  store: Pick<IdempotencyRetentionStore, 'deleteExpired'>,
): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1)
    if ((await store.deleteExpired(BATCH)) < BATCH) return
}

const BATCH = 1_000
/** The next round continues. */
const MAX_BATCHES = 20
