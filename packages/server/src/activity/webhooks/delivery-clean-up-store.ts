import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { jsonRows } from '../../platform/storage/json-rows.ts'
import type { DeliveryRow } from '../../platform/storage/tables.ts'
import type { WebhookEndpointId } from './webhook-endpoint.ts'

/** Deletes deliveries of all workspaces, in transactions of at most `limit` rows. */
export function createDeliveryCleanUpStore(database: Database) {
  return {
    /** Deletes deliveries in this state whose last attempt was before `before`, and returns how many. */
    deleteSettled(state: 'delivered' | 'failed', before: number, limit: number): Promise<number> {
      return database.transaction(async (trx) => {
        const { rows } = await sql<DeliveryKey>`
          delete from deliveries where (endpoint_id, sequence, round) in (
            select endpoint_id, sequence, round from deliveries
            where state = ${sql.lit(state)} and last_at < ${before}
            order by last_at limit ${limit})
          returning endpoint_id, sequence, round`.execute(trx)
        if (rows.length > 0) await deleteFailures(trx, rows)
        return rows.length
      })
    },

    /** Deletes rows of deleted endpoints, and those that have none left. Returns how many rows of deliveries. */
    deleteOfDeletedEndpoints(limit: number): Promise<number> {
      return database.transaction(async (trx) => {
        const endpoint = await trx
          .selectFrom('webhook_endpoints')
          .select('endpoint_id')
          .where('deleted_at', 'is not', null)
          .orderBy('deleted_at')
          .limit(1)
          .executeTakeFirst()
        if (endpoint === undefined) return 0
        return deleteOfEndpoint(trx, endpoint.endpoint_id, limit)
      })
    },
  }

  async function deleteFailures(trx: Transaction, keys: readonly DeliveryKey[]): Promise<void> {
    const types = { endpoint_id: 'text', sequence: 'bigint', round: 'bigint' } as const
    await sql`
      delete from delivery_failures where (endpoint_id, sequence, round) in (
        select endpoint_id, sequence, round from ${jsonRows(database, types, keys, 'deleted')})
    `.execute(trx)
  }
}

export type DeliveryCleanUpStore = ReturnType<typeof createDeliveryCleanUpStore>

type DeliveryKey = Pick<DeliveryRow, 'endpoint_id' | 'sequence' | 'round'>

/**
 * Deletes rows of an endpoint, and the endpoint itself when it has none left. Returns `limit` while there may be more, of this
 * endpoint or another.
 */
export async function deleteOfEndpoint(
  trx: Transaction,
  endpointId: WebhookEndpointId,
  limit: number,
): Promise<number> {
  for (const table of ['delivery_failures', 'deliveries'] as const) {
    // A range of the key: PostgreSQL compared a list of keys with every row, until the statement timed out.
    const last = await trx
      .selectFrom(table)
      .select('sequence')
      .where('endpoint_id', '=', endpointId)
      .orderBy('sequence')
      .limit(1)
      .offset(limit - 1)
      .executeTakeFirst()
    await trx
      .deleteFrom(table)
      .where('endpoint_id', '=', endpointId)
      .where('sequence', '<=', last?.sequence ?? Number.MAX_SAFE_INTEGER)
      .execute()
    if (last !== undefined) return limit
  }
  await trx.deleteFrom('webhook_endpoints').where('endpoint_id', '=', endpointId).execute()
  return limit
}
