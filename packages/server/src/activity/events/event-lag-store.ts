import { sql } from 'kysely'
import type { Database } from '../../platform/storage/database.ts'

/**
 * Returns a function that reads for how long the oldest event that readers and webhooks do not see yet has waited for its
 * number, in milliseconds; 0 if none waits. Of a longer queue, it reads `MAX_EVENTS` entries.
 *
 * @param now epoch milliseconds: the clock of the nodes, which stamps events
 */
export function createEventLagReader(database: Database, now: () => number): () => Promise<number> {
  return async () => {
    const { rows } = await sql<{ oldest: number | null }>`
      select min(at) as oldest from (select at from events
        where sequence is null limit ${sql.lit(MAX_EVENTS)}) as unnumbered`.execute(database.read)
    const oldest = rows[0]?.oldest ?? null
    return oldest === null ? 0 : Math.max(0, now() - Number(oldest))
  }
}

const MAX_EVENTS = 1_000
