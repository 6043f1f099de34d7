import { sql } from 'kysely'
import type { Database } from '../../platform/storage/database.ts'
import type { RateUsage } from './rate-limiter.ts'

/** What nodes have counted of keys in much use. No request waits for it, and no caller reads it. */
export function createRateUsageStore(database: Database) {
  return {
    /** Stores what this node has counted, and returns the sums of all others for the same keys. */
    exchange(nodeId: string, usages: readonly RateUsage[]): Promise<RateUsage[]> {
      const keys = usages.map(({ key }) => key)
      const minute = Math.max(...usages.map((usage) => usage.minute))
      return database.transaction(async (trx) => {
        await trx
          .insertInto('rate_usage')
          .values(
            usages.map(({ key, minute, count }) => ({
              usage_key: key,
              minute,
              node_id: nodeId,
              count,
            })),
          )
          .onConflict((conflict) =>
            conflict
              .columns(['usage_key', 'minute', 'node_id'])
              .doUpdateSet({ count: sql`excluded.count` }),
          )
          .execute()
        const rows = await trx
          .selectFrom('rate_usage')
          .select(['usage_key', 'minute', sql<number>`sum(count)`.as('count')])
          .where('usage_key', 'in', keys)
          .where('minute', '>=', minute - 1)
          .where('node_id', '<>', nodeId)
          .groupBy(['usage_key', 'minute'])
          .execute()
        return rows.map((row) => ({
          key: row.usage_key,
          minute: Number(row.minute),
          count: Number(row.count),
        }))
      })
    },

    /** Deletes what is older than the previous minute. */
    async sweep(minute: number): Promise<void> {
      await database.transaction((trx) =>
        trx
          .deleteFrom('rate_usage')
          .where('minute', '<', minute - 1)
          .execute(),
      )
    },
  }
}

export type RateUsageStore = ReturnType<typeof createRateUsageStore>
