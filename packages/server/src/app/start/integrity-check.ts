import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../platform/http/log.ts'
import type { Database } from '../../platform/storage/database.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'

export interface IntegrityCheckDeps {
  readonly database: Pick<Database, 'checkIntegrity'>
  readonly log: Pick<Log, 'warn'>
  /** Called with a `corrupt` error: the process must exit, and the next start checks the file before it serves. */
  readonly onFatal: (error: StorageError) => void
}

/** Checks the files of the database once, some seconds after the start, while the service runs. */
export function startIntegrityCheck(
  { database, log, onFatal }: IntegrityCheckDeps,
  delayMs: number = DELAY_MS,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const check = async () => {
    await sleep(delayMs, undefined, { signal: stopping.signal, ref: false })
    await database.checkIntegrity(stopping.signal)
  }
  const finished = check().catch((error: unknown) => {
    if (error instanceof StorageError) onFatal(error)
    else if (!stopping.signal.aborted)
      log.warn({ err: error }, 'the database file could not be checked')
  })
  return {
    async stop() {
      stopping.abort()
      await finished
    },
  }
}

/** The first requests should not share the disk with the check. */
const DELAY_MS = 10_000
