import type { EventStore } from './event-store.ts'

/**
 * Background work: deletes events that are older than this many days. What was deleted is reported to readers as
 * `events_gone`.
 */
export async function deleteOldEvents(
  { events, now }: { readonly events: EventStore; readonly now: () => number },
  days: number,
): Promise<void> {
  const before = now() - days * DAY_MS
  for (let batch = 0; batch < MAX_BATCHES; batch += 1)
    if ((await events.deleteOld(before, BATCH)) < BATCH) return
}

const DAY_MS = 24 * 60 * 60_000
const BATCH = 1_000
/** The next round continues. */
const MAX_BATCHES = 10
