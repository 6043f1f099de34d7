import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../errors.ts'
import type { Database } from '../../storage/database.ts'
import type { TokenLease, TokenLeaseStore } from './token-lease-store.ts'

export interface TokenLeaseDeps {
  readonly database: Database
  readonly tokenLeases: TokenLeaseStore
}

/**
 * Runs work that may use up refresh tokens as the only one that does, on all nodes. Others with the same tokens wait.
 *
 * @throws ApiError `renewal_in_progress` when the wait gets too long; what `work` throws
 */
export async function withTokenLease<T>(
  deps: TokenLeaseDeps,
  workspaceId: string,
  rotationIds: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const owner = { workspace_id: workspaceId, lease_owner: randomUUID() }
  // In one order, or two checks could wait for each other.
  const wanted = [...new Set(rotationIds)].sort()
  const leases = wanted.map((rotation_id) => ({ ...owner, rotation_id }))
  const held: TokenLease[] = []
  try {
    for (const lease of leases) {
      await takeWhenFree(deps, lease)
      held.push(lease)
    }
    return await work()
  } finally {
    for (const lease of held)
      await deps.database.transaction((trx) => deps.tokenLeases.release(trx, lease))
  }
}

async function takeWhenFree(deps: TokenLeaseDeps, lease: TokenLease): Promise<void> {
  const until = performance.now() + WAIT_MS
  while (performance.now() < until) {
    const isTaken = await deps.database.transaction((trx) =>
      deps.tokenLeases.take(trx, lease, LEASE_MS),
    )
    if (isTaken) return
    await sleep(40 + Math.random() * 120)
  }
  throw new ApiError(
    'renewal_in_progress',
    'Another request is checking the same refresh token. Try again in a moment.',
    { headers: { 'retry-after': '2' } },
  )
}

/** Longer than CHECK and IDENTITY take with their waits and the token requests that they leave behind. */
const LEASE_MS = 120_000
const WAIT_MS = 20_000
