import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { claimAbandoned, type Lease } from '../../platform/storage/lease.ts'
import type { ErasureRow } from '../../platform/storage/tables.ts'
import { addCounts, type Erasure, type ErasureCounts, type ErasureId } from './erasure.ts'

/** Which erasure: of the caller's workspace, which the operation has resolved, and of one customer. */
type ErasureKey = Pick<Erasure, 'workspaceId' | 'identifierHash'>

/** Stores erasures and their receipts. Callers must have resolved the workspace among those that they can access. */
export function createErasureStore(database: Database) {
  const select = (db: Transaction, { workspaceId, identifierHash }: ErasureKey) =>
    db
      .selectFrom('erasures')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('identifier_hash', '=', identifierHash)
  return {
    async find(key: ErasureKey): Promise<Erasure | undefined> {
      const row = await select(database.read, key).executeTakeFirst()
      return row && toErasure(row)
    },

    /**
     * Creates the erasure, or claims that of an earlier request. Undefined while another process runs it, and when the
     * workspace has been deleted. Requires a serializable transaction.
     */
    async claim(
      trx: Transaction,
      erasure: Erasure & { readonly sealedIdentifier: Uint8Array },
      { now, aliveUntil }: Lease,
    ): Promise<Erasure | undefined> {
      const row = await select(trx, erasure).executeTakeFirst()
      if (row === undefined) {
        const workspace = await trx
          .selectFrom('workspaces')
          .select('workspace_id')
          .where('workspace_id', '=', erasure.workspaceId)
          .where('deleted_at', 'is', null)
          .executeTakeFirst()
        if (workspace === undefined) return undefined
        await trx
          .insertInto('erasures')
          .values({
            erasure_id: erasure.erasureId,
            workspace_id: erasure.workspaceId,
            identifier_hash: erasure.identifierHash,
            sealed_identifier: erasure.sealedIdentifier,
            counts: JSON.stringify(erasure.counts),
            alive_until: aliveUntil,
            created_at: erasure.createdAt,
            finished_at: null,
          })
          .execute()
        return erasure
      }
      if (row.alive_until !== null && row.alive_until > now) return undefined
      await trx
        .updateTable('erasures')
        .set({ sealed_identifier: erasure.sealedIdentifier, alive_until: aliveUntil })
        .where('erasure_id', '=', row.erasure_id)
        .execute()
      return toErasure(row)
    },

    /** Claims an erasure that a process has left unfinished. */
    async claimAbandoned(lease: Lease): Promise<Erasure | undefined> {
      const row = await claimAbandoned(database, 'erasures', 'erasure_id', lease)
      return row && toErasure(row)
    },

    /** Adds what the transaction has erased to the receipt, and extends the lease. */
    async addCounts(
      trx: Transaction,
      erasureId: ErasureId,
      counts: ErasureCounts,
      aliveUntil: number,
    ): Promise<void> {
      // The update locks the row: after a lease has expired, two processes may run the same erasure and count at once.
      const row = await trx
        .updateTable('erasures')
        .set((eb) => ({
          // Another process may have finished it in the meantime.
          alive_until: eb
            .case()
            .when('alive_until', 'is not', null)
            .then(aliveUntil)
            .else(null)
            .end(),
        }))
        .where('erasure_id', '=', erasureId)
        .returning(['counts', 'finished_at'])
        .executeTakeFirstOrThrow()
      const isEmpty = Object.values(counts).every((count) => count === 0)
      await trx
        .updateTable('erasures')
        .set({
          counts: JSON.stringify(addCounts(JSON.parse(row.counts), counts)),
          finished_at: isEmpty ? row.finished_at : null,
        })
        .where('erasure_id', '=', erasureId)
        .execute()
    },

    /** Finishes an erasure and deletes the identifier. One that found nothing retains the time of the earlier one. */
    async finish(trx: Transaction, erasureId: ErasureId, now: number): Promise<Erasure> {
      const row = await trx
        .updateTable('erasures')
        .set((eb) => ({
          sealed_identifier: null,
          alive_until: null,
          finished_at: eb.fn.coalesce('finished_at', eb.val(now)),
        }))
        .where('erasure_id', '=', erasureId)
        .returningAll()
        .executeTakeFirstOrThrow()
      return toErasure(row)
    },
  }
}

export type ErasureStore = ReturnType<typeof createErasureStore>

function toErasure(row: ErasureRow): Erasure {
  return {
    erasureId: row.erasure_id,
    workspaceId: row.workspace_id,
    identifierHash: row.identifier_hash,
    sealedIdentifier: row.sealed_identifier,
    counts: JSON.parse(row.counts),
    isRunning: row.alive_until !== null,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  }
}

/** The lease of a process that starts now. A batch of revocations takes at most eight seconds. */
export function getErasureLease({ now }: { readonly now: () => number }): Lease {
  const current = now()
  return { now: current, aliveUntil: current + LEASE_MS }
}

const LEASE_MS = 30_000

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
    if (await database.truncateLog()) return
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
