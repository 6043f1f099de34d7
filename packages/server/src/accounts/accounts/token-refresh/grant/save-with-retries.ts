import { setTimeout as sleep } from 'node:timers/promises'
import { StorageError } from '../../../../platform/storage/storage-error.ts'
import type { AcquiredLease } from '../acquire-lease.ts'
import type { RefreshDeps } from '../refresh-deps.ts'

const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 2_000

/**
 * Saves what the provider has answered, again and again while the lease lasts, if the database is unavailable or full: a
 * refresh token that was replaced exists nowhere else. If an attempt committed and only its reply was lost, a later one finds
 * that the lease is gone, and the version of the credentials tells that they were saved.
 *
 * @returns whether it was saved; false if the lease was lost
 * @throws the error of the last attempt
 */
export async function saveWithRetries(
  deps: Pick<RefreshDeps, 'refreshStore'>,
  lease: AcquiredLease,
  save: () => Promise<boolean>,
): Promise<boolean> {
  let isRetry = false
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
    try {
      return (await save()) || (isRetry && (await wasSaved(deps, lease)))
    } catch (error) {
      if (!isTemporary(error) || lease.remainingMs() <= delayMs) throw error
      isRetry = true
      await sleep(delayMs)
    }
  }
}

async function wasSaved(
  { refreshStore }: Pick<RefreshDeps, 'refreshStore'>,
  { accountId, version }: AcquiredLease,
): Promise<boolean> {
  const latest = await refreshStore.find(accountId)
  return latest !== undefined && latest.row.credentialVersion > version
}

function isTemporary(error: unknown): boolean {
  return error instanceof StorageError && (error.kind === 'unavailable' || error.kind === 'full')
}
