import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { DrainRow } from '../../platform/storage/tables.ts'

/** Work that had not ended when a node stopped. */
export interface CutOff {
  readonly requests: number
  readonly jobs: number
}

/** What nodes cut off, in rows that survive their processes. */
export function createDrainStore(database: Database, now: () => number) {
  return {
    /**
     * Stores what this node would cut off now. It counts as killed from `countsFrom` (epoch milliseconds), unless it is
     * replaced or removed before: a killed process can do neither.
     */
    async save(drainId: string, cutOff: CutOff, countsFrom: number): Promise<void> {
      await database.transaction((trx) =>
        upsert(trx, { drain_id: drainId, cause: 'killed', ...cutOff, counts_from: countsFrom }),
      )
    },

    /** Stores what this node cuts off now, at the end of LINCHPIN_DRAIN_TIMEOUT. */
    async settle(drainId: string, cutOff: CutOff): Promise<void> {
      const row = { drain_id: drainId, cause: 'timeout', ...cutOff, counts_from: now() } as const
      await database.transaction((trx) => upsert(trx, row))
    },

    /** Removes what `save` has stored: all work ended. Adds up what others cut off, so that there are few rows. */
    async end(drainId: string): Promise<void> {
      await database.transaction(async (trx) => {
        await trx.deleteFrom('drains').where('drain_id', '=', drainId).execute()
        for (const cause of CAUSES) await addUp(trx, cause, now())
      })
    },

    /** What nodes have cut off so far, by cause. */
    async read(): Promise<Readonly<Record<DrainRow['cause'], CutOff>>> {
      const rows = await database.read
        .selectFrom('drains')
        .select(({ fn }) => ['cause', fn.sum('requests').as('requests'), fn.sum('jobs').as('jobs')])
        .where('counts_from', '<=', now())
        .groupBy('cause')
        .execute()
      const of = (cause: DrainRow['cause']) => {
        const row = rows.find((each) => each.cause === cause)
        return { requests: Number(row?.requests ?? 0), jobs: Number(row?.jobs ?? 0) }
      }
      return { timeout: of('timeout'), killed: of('killed') }
    },
  }
}

export type DrainStore = ReturnType<typeof createDrainStore>

const CAUSES = ['timeout', 'killed'] as const

async function upsert(trx: Transaction, row: DrainRow): Promise<void> {
  const { drain_id: _, ...values } = row
  await trx
    .insertInto('drains')
    .values(row)
    .onConflict((conflict) => conflict.column('drain_id').doUpdateSet(values))
    .execute()
}

/** What is deleted is added to one row: each row is deleted by one transaction. */
async function addUp(trx: Transaction, cause: DrainRow['cause'], now: number): Promise<void> {
  const drain_id = `sum:${cause}`
  const rows = await trx
    .deleteFrom('drains')
    .where('cause', '=', cause)
    .where('counts_from', '<=', now)
    .where('drain_id', '<>', drain_id)
    .returning(['requests', 'jobs'])
    .execute()
  const sum = (key: keyof CutOff) => rows.reduce((total, row) => total + Number(row[key]), 0)
  const [requests, jobs] = [sum('requests'), sum('jobs')]
  if (requests + jobs === 0) return
  await trx
    .insertInto('drains')
    .values({ drain_id, cause, requests, jobs, counts_from: 0 })
    .onConflict((conflict) =>
      conflict.column('drain_id').doUpdateSet({
        requests: sql`drains.requests + excluded.requests`,
        jobs: sql`drains.jobs + excluded.jobs`,
      }),
    )
    .execute()
}
