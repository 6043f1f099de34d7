import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../platform/storage/database.ts'

/**
 * Waits until the log of SQLite has been truncated, so that what was erased is not in it, for at most ten seconds: less than
 * a lease. What has not finished by then is run again.
 *
 * @throws an error when a reader, such as a backup program, keeps the log from being truncated
 */
export async function truncateLog(
  database: Pick<Database, 'truncateLog'>,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS
  while (true) {
    signal.throwIfAborted()
    if (database.truncateLog()) return
    if (performance.now() >= deadline) throw new Error('the log could not be truncated')
    await sleep(RETRY_MS)
  }
}

const MAX_WAIT_MS = 10_000
const RETRY_MS = 50

/**
 * Creates background work that writes the file of SQLite anew, at most once an hour, after erasures: SQLite leaves copies of
 * rows in unused space when it moves them. Not at each erasure, because the writes of all tenants wait meanwhile.
 */
export function createCopyErasure({
  database,
  now,
}: {
  readonly database: Pick<Database, 'rewriteFile'>
  readonly now: () => number
}): () => Promise<void> {
  let nextAt = now() + INTERVAL_MS
  return async () => {
    if (now() < nextAt) return
    nextAt = now() + INTERVAL_MS
    await database.rewriteFile()
  }
}

const INTERVAL_MS = 60 * 60_000
