import { sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import { inBatches } from '../../platform/rounds.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { jsonRows } from '../../platform/storage/portable-sql.ts'
import type { EventId } from '../events/event.ts'
import {
  DELIVERY,
  DELIVERY_FAILURE,
  type Delivery,
  type DeliveryFailure,
  type DeliveryRow,
  type DeliveryState,
} from './delivery.ts'
import type { WebhookEndpoint, WebhookEndpointId } from './webhook-endpoint.ts'

/** A position in the list of deliveries. */
export interface DeliveryPosition {
  readonly sequence: number
  readonly round: number
}

/** Reads the deliveries to an endpoint. */
export function createDeliveryListStore(database: Database) {
  const selectDeliveries = (access: WorkspaceAccess, endpoint: WebhookEndpoint) =>
    database.read
      .selectFrom('deliveries')
      .selectAll()
      .where('endpoint_id', '=', endpoint.endpointId)
      .where(isAccessibleWorkspace(access, endpoint.workspaceId))
      .orderBy('sequence', 'desc')
      .orderBy('round', 'desc')

  return {
    /** At most `limit` deliveries below a position, the newest events first. */
    async list(
      access: WorkspaceAccess,
      endpoint: WebhookEndpoint,
      before: DeliveryPosition | undefined,
      { state, limit }: { readonly state: DeliveryState | undefined; readonly limit: number },
    ): Promise<Delivery[]> {
      let query = selectDeliveries(access, endpoint)
      if (state !== undefined) query = query.where('state', '=', state)
      if (before !== undefined) {
        const { sequence, round } = before
        // The first condition bounds the index, whose last column the second one compares.
        query = query
          .where('sequence', '<=', sequence)
          .where((eb) => eb.or([eb('sequence', '<', sequence), eb('round', '<', round)]))
      }
      return (await query.limit(limit).execute()).map(DELIVERY.fromRow)
    },

    /** The last deliveries of an event, one per replay, the newest first. */
    async listOfEvent(
      access: WorkspaceAccess,
      endpoint: WebhookEndpoint,
      eventId: EventId,
      limit: number,
    ): Promise<Delivery[]> {
      const rows = await selectDeliveries(access, endpoint)
        .where('event_id', '=', eventId)
        .limit(limit)
        .execute()
      return rows.map(DELIVERY.fromRow)
    },

    /** The last attempts that failed, the newest first. */
    async listFailures(
      access: WorkspaceAccess,
      endpoint: WebhookEndpoint,
      sequence: number,
      limit: number,
    ): Promise<DeliveryFailure[]> {
      const rows = await database.read
        .selectFrom('delivery_failures')
        .selectAll()
        .where('endpoint_id', '=', endpoint.endpointId)
        .where('sequence', '=', sequence)
        .where(isAccessibleWorkspace(access, endpoint.workspaceId))
        .orderBy('round', 'desc')
        .orderBy('attempt', 'desc')
        .limit(limit)
        .execute()
      return rows.map(DELIVERY_FAILURE.fromRow)
    },
  }
}

export type DeliveryListStore = ReturnType<typeof createDeliveryListStore>

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

type DeliveryCleanUpStore = ReturnType<typeof createDeliveryCleanUpStore>

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

/**
 * Background work: deletes what was delivered after 7 days, what failed after 30, and all that belongs to deleted endpoints,
 * in batches. The next round continues.
 */
export async function deleteOldDeliveries({
  deliveries,
  now,
}: {
  readonly deliveries: DeliveryCleanUpStore
  readonly now: () => number
}): Promise<void> {
  const steps = [
    (size: number) => deliveries.deleteSettled('delivered', now() - DELIVERED_DAYS * DAY_MS, size),
    (size: number) => deliveries.deleteSettled('failed', now() - FAILED_DAYS * DAY_MS, size),
    deliveries.deleteOfDeletedEndpoints,
  ]
  for (const step of steps) await inBatches(BATCHES, step)
}

const DELIVERED_DAYS = 7
const FAILED_DAYS = 30
const DAY_MS = 24 * 60 * 60_000
/** SQLite deletes them on the main thread. */
const BATCHES = { size: 250, max: 200 }
