import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../platform/storage/database.ts'

/**
 * Waits until the log of SQLite has been truncated, so that what was erased is in no file, for at most ten seconds: less than
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
