import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../platform/storage/database.ts'

/**
 * Removes what was erased from the file of SQLite, unless it is large, and from its log. Takes at most twenty seconds: less
 * than a lease. What has not finished by then is run again.
 *
 * @throws an error when another program that reads the file, such as a backup, prevents it
 */
export async function eraseBytes(
  database: Pick<Database, 'rewriteFile' | 'truncateLog'>,
  signal: AbortSignal,
): Promise<void> {
  await database.rewriteFile(signal)
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
