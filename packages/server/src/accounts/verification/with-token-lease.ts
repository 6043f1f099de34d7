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
 * Runs `work` while holding the leases of its refresh tokens, on all nodes. Requests with the same tokens wait.
 *
 * @throws ApiError `renewal_in_progress` when the wait times out or too many requests wait; what `work` throws
 */
export async function withTokenLease<T>(
  deps: TokenLeaseDeps,
  workspaceId: string,
  rotationIds: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const owner = { workspace_id: workspaceId, lease_owner: randomUUID() }
  // Acquire in sorted order: otherwise two checks could deadlock.
  const sortedIds = [...new Set(rotationIds)].sort()
  const leases = sortedIds.map((rotation_id) => ({ ...owner, rotation_id }))
  const acquired: TokenLease[] = []
  try {
    for (const lease of leases) {
      await waitForLease(deps, lease)
      acquired.push(lease)
    }
    return await work()
  } finally {
    for (const lease of acquired)
      await deps.database.transaction((trx) => deps.tokenLeases.release(trx, lease))
  }
}

async function waitForLease(deps: TokenLeaseDeps, lease: TokenLease): Promise<void> {
  const { waiting } = deps.tokenLeases
  const { rotation_id: id } = lease
  const count = waiting.get(id) ?? 0
  // Each attempt is a database write, so the number of waiting requests per token is bounded.
  if (count >= MAX_WAITING) throw tokenInUse()
  waiting.set(id, count + 1)
  try {
    await poll(deps, lease)
  } finally {
    const remaining = (waiting.get(id) ?? 1) - 1
    if (remaining > 0) waiting.set(id, remaining)
    else waiting.delete(id)
  }
}

async function poll(deps: TokenLeaseDeps, lease: TokenLease): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS
  for (let waitMs = 50; performance.now() < deadline; waitMs = Math.min(waitMs * 1.3, 1_000)) {
    const isAcquired = await deps.database.transaction((trx) =>
      deps.tokenLeases.acquire(trx, lease, LEASE_MS),
    )
    if (isAcquired) return
    await sleep(waitMs * (0.75 + Math.random() / 2))
  }
  throw tokenInUse()
}

function tokenInUse(): ApiError {
  return new ApiError(
    'renewal_in_progress',
    'Another request is checking the same refresh token. Retry in a moment.',
    { headers: { 'retry-after': '1' } },
  )
}

/** Longer than CHECK and IDENTITY take, including their waits and trailing token requests. */
const LEASE_MS = 120_000
const MAX_WAIT_MS = 20_000
const MAX_WAITING = 8
