import type { UserId } from '../../access/users/user.ts'
import type { Log } from '../../platform/http/log.ts'
import type { IdempotencyRetentionStore } from '../../platform/record/idempotency-retention-store.ts'

/** What a user may have stored. The oldest keys are deleted before 24 hours when there is more. */
const MAX_KEYS = 100_000
const MAX_BYTES = 256 * 1024 * 1024
/** Measured after every so many keys or bytes that this process has stored. */
const INTERVAL_KEYS = 1_000
const INTERVAL_BYTES = 16 * 1024 * 1024
const BATCH = 1_000
const MAX_USERS = 10_000

export interface StoredKeyLimitDeps {
  readonly store: Pick<IdempotencyRetentionStore, 'measure' | 'deleteOldest'>
  readonly log: Log
  /** Set by tests only. */
  readonly maxKeys?: number | undefined
  /** Set by tests only. */
  readonly interval?: number | undefined
}

/** Bounds the keys of each user, in number and size. */
export interface StoredKeyLimit {
  /** Counts a key that was stored. Deletes in the background. */
  count(userId: UserId, responseBytes: number): void
  /** Resolves when the work in progress has completed. */
  stop(): Promise<void>
}

/** Creates the limit. A restart forgets the counts, so a user may exceed it by one interval per process. */
export function createStoredKeyLimit({
  store,
  log,
  maxKeys = MAX_KEYS,
  interval = INTERVAL_KEYS,
}: StoredKeyLimitDeps): StoredKeyLimit {
  const added = new Map<UserId, { keys: number; bytes: number }>()
  let trimming = Promise.resolve()
  const trim = async (userId: UserId) => {
    for (;;) {
      const { keys, bytes } = await store.measure(userId)
      if (keys <= maxKeys && bytes <= MAX_BYTES) return
      if ((await store.deleteOldest(userId, BATCH)) === 0) return
    }
  }
  return {
    count(userId, responseBytes) {
      const { keys, bytes } = added.get(userId) ?? { keys: 0, bytes: 0 }
      const sum = { keys: keys + 1, bytes: bytes + responseBytes }
      const isDue = sum.keys >= interval || sum.bytes >= INTERVAL_BYTES
      if (added.size >= MAX_USERS && !added.has(userId)) added.clear()
      added.set(userId, isDue ? { keys: 0, bytes: 0 } : sum)
      if (!isDue) return
      trimming = trimming
        .then(() => trim(userId))
        .catch((error) => log.warn({ err: error }, 'old idempotency keys were not deleted'))
    },
    stop: () => trimming,
  }
}
