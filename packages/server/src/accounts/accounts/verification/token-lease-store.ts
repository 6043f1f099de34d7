import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { Database } from '../../../platform/storage/database.ts'
import { createSharedClock, type SharedClock } from '../../../platform/storage/shared-clock.ts'
import type { Tables } from '../../../platform/storage/tables.ts'

/** The exclusive right to use a refresh token that no account has stored yet, by the id of its rotation. */
interface TokenLease {
  readonly rotationId: string
  readonly workspaceId: WorkspaceId
  readonly owner: string
}

/** Leases of refresh tokens, on all nodes. */
export function createTokenLeaseStore(database: Database, now: () => number) {
  const clock = createSharedClock(database, now)
  /** Number of requests in this process that wait for a lease, by rotation id. */
  const waiting = new Map<string, number>()
  return {
    /**
     * Acquires the leases of these rotations; waits while other requests hold them. Dispose of the result to release
     * them: if that fails, they expire.
     *
     * @throws ApiError `refresh_in_progress` when the wait times out or too many requests wait
     */
    async acquire(
      workspaceId: WorkspaceId,
      rotationIds: readonly string[],
    ): Promise<AsyncDisposable> {
      await using acquired = new AsyncDisposableStack()
      const owner = randomUUID()
      // In sorted order: otherwise two checks could deadlock.
      for (const rotationId of [...new Set(rotationIds)].sort()) {
        const lease = { rotationId, workspaceId, owner }
        await waitForTurn(waiting, rotationId, () =>
          poll(() => database.transaction((trx) => tryAcquire(trx, lease, clock))),
        )
        acquired.defer(() => release(database, lease).catch(() => undefined))
      }
      return acquired.move()
    },

    /** Deletes leases of processes that exited without releasing them. Runs in the background. */
    async sweep(): Promise<void> {
      await database.transaction((trx) =>
        trx.deleteFrom('token_leases').where('lease_until', '<', clock.statementTime()).execute(),
      )
    },
  }
}

export type TokenLeaseStore = ReturnType<typeof createTokenLeaseStore>

/** Returns false while another owner holds the lease. */
async function tryAcquire(
  trx: Kysely<Tables>,
  { rotationId, workspaceId, owner }: TokenLease,
  clock: SharedClock,
): Promise<boolean> {
  const lease_until = sql<number>`${clock.now()} + ${LEASE_MS}`
  const acquired = await trx
    .insertInto('token_leases')
    .values({ rotation_id: rotationId, workspace_id: workspaceId, lease_owner: owner, lease_until })
    .onConflict((oc) =>
      oc
        .column('rotation_id')
        .doUpdateSet({ lease_owner: owner, lease_until })
        .where('token_leases.workspace_id', '=', workspaceId)
        .where((eb) =>
          eb.or([
            eb('token_leases.lease_until', '<', clock.now()),
            // No lease lasts that long, so the clock was set back.
            eb('token_leases.lease_until', '>', sql<number>`${clock.now()} + ${MAX_LEASE_MS}`),
          ]),
        ),
    )
    .returning('rotation_id')
    .executeTakeFirst()
  return acquired !== undefined
}

async function release(
  database: Database,
  { rotationId, workspaceId, owner }: TokenLease,
): Promise<void> {
  await database.transaction((trx) =>
    trx
      .deleteFrom('token_leases')
      .where('rotation_id', '=', rotationId)
      .where('workspace_id', '=', workspaceId)
      .where('lease_owner', '=', owner)
      .execute(),
  )
}

/** Each attempt is a database write, so the number of waiting requests per token is bounded. */
async function waitForTurn(
  waiting: Map<string, number>,
  rotationId: string,
  work: () => Promise<void>,
): Promise<void> {
  const count = waiting.get(rotationId) ?? 0
  if (count >= MAX_WAITING) throw createTokenInUseError()
  waiting.set(rotationId, count + 1)
  try {
    await work()
  } finally {
    const remaining = (waiting.get(rotationId) ?? 1) - 1
    if (remaining > 0) waiting.set(rotationId, remaining)
    else waiting.delete(rotationId)
  }
}

async function poll(attempt: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS
  for (let waitMs = 50; performance.now() < deadline; waitMs = Math.min(waitMs * 1.3, 1_000)) {
    if (await attempt()) return
    await sleep(waitMs * (0.75 + Math.random() / 2))
  }
  throw createTokenInUseError()
}

function createTokenInUseError(): ApiError {
  return new ApiError(
    'refresh_in_progress',
    'Another request is checking the same refresh token. Retry in a moment.',
    { headers: { 'retry-after': '1' } },
  )
}

/** Longer than CHECK and IDENTITY take, including their waits and trailing token requests. */
const LEASE_MS = 120_000
const MAX_LEASE_MS = 10 * 60_000
const MAX_WAIT_MS = 20_000
const MAX_WAITING = 8
