import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { jsonRows } from '../../platform/storage/json-rows.ts'
import { createSharedClock } from '../../platform/storage/shared-clock.ts'
import type { DeliveryRow } from '../../platform/storage/tables.ts'
import { BLOCKING_ATTEMPTS } from './dispatch/retry-schedule.ts'
import type { WebhookEndpointId } from './webhook-endpoint.ts'

/** Makes deliveries of replays pending, on behalf of no caller. */
export function createReplayPromotionStore(database: Database, now: () => number) {
  const clock = createSharedClock(database, now)
  return {
    /** Endpoints with a replay that have few other deliveries to send: a replay stays behind live events. */
    async listReady(limit: number): Promise<WebhookEndpointId[]> {
      const rows = await database.read
        .selectFrom('webhook_endpoints')
        .select('endpoint_id')
        .where('queued', '>', sql<number>`0`)
        .where('pending', '<', MAX_PENDING)
        .where('state', '=', 'active')
        .where('deleted_at', 'is', null)
        .limit(limit)
        .execute()
      return rows.map((row) => row.endpoint_id)
    },

    /** Makes the oldest queued deliveries of an endpoint pending, or held behind others, and returns how many. */
    promote(endpointId: WebhookEndpointId): Promise<number> {
      return database.transaction(async (trx) => {
        const ordering = await lockEndpoint(trx, endpointId)
        if (ordering === undefined) return 0
        const batch = await listOldest(trx, endpointId)
        if (batch.length > 0) await setStates(trx, endpointId, planStates(batch, ordering))
        await count(trx, endpointId, batch.length)
        return batch.length
      })
    },
  }

  /** Orders promotion, fan-out and settlement, so that none misses the rows of another. */
  async function lockEndpoint(
    trx: Transaction,
    endpointId: WebhookEndpointId,
  ): Promise<string | undefined> {
    const query = trx
      .selectFrom('webhook_endpoints')
      .select('ordering')
      .where('endpoint_id', '=', endpointId)
      .where('queued', '>', 0)
      .where('pending', '<', MAX_PENDING)
      .where('state', '=', 'active')
      .where('deleted_at', 'is', null)
    const row = await (database.dialect === 'postgres'
      ? query.forNoKeyUpdate()
      : query
    ).executeTakeFirst()
    return row?.ordering
  }

  function listOldest(trx: Transaction, endpointId: WebhookEndpointId): Promise<QueuedDelivery[]> {
    return trx
      .selectFrom('deliveries')
      .select(['sequence', 'round', 'subject'])
      .select(
        sql<number>`case when exists (select 1 from deliveries open
            where open.endpoint_id = deliveries.endpoint_id and open.subject = deliveries.subject
            and open.state = 'pending' and open.attempts < ${sql.lit(BLOCKING_ATTEMPTS)})
          or exists (select 1 from deliveries open
            where open.endpoint_id = deliveries.endpoint_id and open.subject = deliveries.subject
            and open.state = 'held') then 1 else 0 end`.as('is_blocked'),
      )
      .where('endpoint_id', '=', endpointId)
      .where(sql<boolean>`state = 'queued'`)
      .orderBy('sequence')
      .limit(BATCH)
      .execute()
  }

  async function setStates(
    trx: Transaction,
    endpointId: WebhookEndpointId,
    states: readonly Pick<DeliveryRow, 'sequence' | 'round' | 'state'>[],
  ): Promise<void> {
    const types = {
      endpoint_id: 'text',
      sequence: 'bigint',
      round: 'bigint',
      state: 'text',
    } as const
    // With a constant `endpoint_id`, SQLite would read all deliveries of the endpoint.
    const rows = states.map((row) => ({ ...row, endpoint_id: endpointId }))
    await sql`
      update deliveries set state = promoted.state, due_at = ${clock.now()}
      from ${jsonRows(database, types, rows, 'promoted')}
      where deliveries.endpoint_id = promoted.endpoint_id and deliveries.sequence = promoted.sequence
        and deliveries.round = promoted.round`.execute(trx)
  }

  /** Without queued deliveries the count was wrong: a workspace was erased, for instance. */
  async function count(
    trx: Transaction,
    endpointId: WebhookEndpointId,
    promoted: number,
  ): Promise<void> {
    const time = clock.now()
    await trx
      .updateTable('webhook_endpoints')
      .set((eb) => ({
        queued:
          promoted === 0
            ? 0
            : sql<number>`case when queued > ${promoted}
          then queued - ${promoted} else 0 end`,
        pending: eb('pending', '+', promoted),
        due_at: sql<number>`case when due_at < ${time} then due_at else ${time} end`,
      }))
      .where('endpoint_id', '=', endpointId)
      .execute()
  }
}

export type ReplayPromotionStore = ReturnType<typeof createReplayPromotionStore>

type QueuedDelivery = Pick<DeliveryRow, 'sequence' | 'round' | 'subject'> & {
  readonly is_blocked: number
}

function planStates(batch: readonly QueuedDelivery[], ordering: string) {
  const subjects = new Set<string>()
  return batch.map(({ sequence, round, subject, is_blocked }) => {
    const isBehind = is_blocked === 1 || subjects.has(subject)
    subjects.add(subject)
    return { sequence, round, state: ordering === 'account' && isBehind ? 'held' : 'pending' }
  })
}

const BATCH = 64
const MAX_PENDING = 32
