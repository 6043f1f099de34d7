import type { AttemptStore } from './attempt-store.ts'

/** Background work: deletes attempts that are older than this many days, in small batches. */
export async function deleteOldAttempts(
  { attempts, now }: { readonly attempts: AttemptStore; readonly now: () => number },
  days: number,
): Promise<void> {
  const before = now() - days * DAY_MS
  for (let batch = 0; batch < MAX_BATCHES; batch += 1)
    if ((await attempts.deleteOld(before, BATCH)) < BATCH) return
}

const DAY_MS = 24 * 60 * 60_000
const BATCH = 500
/** The next round continues. */
const MAX_BATCHES = 20
