import { sql } from 'kysely'
import type { Database, Transaction } from '../../storage/database.ts'
import { createSharedClock } from '../../storage/shared-clock.ts'
import type { WebhookEndpointRow } from '../../storage/tables.ts'
import type { WebhookEndpoint } from '../webhook-endpoint.ts'
import { toWebhookEndpoint } from '../webhook-endpoint-row-store.ts'
import { toHealth } from './claim-store.ts'
import { createDeliveryResultStore } from './delivery-result-store.ts'
import type { EndpointLease } from './lease-store.ts'
import {
  type AttemptResult,
  type EndpointHealth,
  planSettlement,
  type Settlement,
} from './plan-settlement.ts'
import { getProbeDelay } from './retry-schedule.ts'

/** When to give the lease back: never, if nothing is due, or in any case. */
export type Release = 'never' | 'idle' | 'always'

export interface SettlementOptions {
  readonly release: Release
  /** The node that sent them, for the log of failures. */
  readonly node: string
  /** Records in the same transaction that the endpoint was disabled or recovered. */
  readonly onTransition: (
    trx: Transaction,
    endpoint: WebhookEndpoint,
    transition: 'disabled' | 'recovered',
    at: number,
  ) => Promise<void>
}

/** Stores the results of attempts, and lets the deliveries behind them pass. */
export function createSettlementStore(database: Database, now: () => number) {
  const clock = createSharedClock(database, now)
  const deliveries = createDeliveryResultStore(database)
  return {
    /** Returns whether the lease was given back; undefined, and stores nothing, if it was lost. */
    settle(
      lease: EndpointLease,
      results: readonly AttemptResult[],
      options: SettlementOptions,
    ): Promise<{ readonly isReleased: boolean } | undefined> {
      return database.transaction(async (trx) => {
        const locked = await lockEndpoint(trx, lease)
        if (locked === undefined) return undefined
        const { row, at } = locked
        const settlement = planSettlement(toHealth(row), results, at)
        await deliveries.storeResults(trx, lease, settlement, { at, node: options.node })
        const dueAt = await findNextDue(trx, lease, settlement.health)
        const isReleased =
          options.release === 'always' ||
          (options.release === 'idle' && (dueAt === null || dueAt > at))
        await updateEndpoint(trx, lease, settlement, { dueAt, isReleased })
        if (settlement.transition !== undefined)
          await options.onTransition(
            trx,
            {
              ...toWebhookEndpoint(row),
              ...settlement.health,
              pending: row.pending - settlement.finished,
            },
            settlement.transition,
            at,
          )
        return { isReleased }
      })
    },

    /** Gives the lease back until the next probe, because no key opens the secrets. Spends no attempts. */
    async postpone(lease: EndpointLease, stateReason: string): Promise<void> {
      await database.transaction(async (trx) => {
        const locked = await lockEndpoint(trx, lease)
        if (locked === undefined) return
        const { row, at } = locked
        const health = toHealth(row)
        const retryAt = at + getProbeDelay(health.probes)
        const failing = { ...health, state: 'failing', stateReason, retryAt } as const
        await updateEndpoint(
          trx,
          lease,
          { health: { ...failing, probes: health.probes + 1 }, finished: 0 },
          { dueAt: retryAt, isReleased: true },
        )
      })
    },
  }

  /** The lock orders settlement and fan-out, so that neither misses the other's rows. */
  async function lockEndpoint(
    trx: Transaction,
    { endpointId, owner }: EndpointLease,
  ): Promise<{ row: WebhookEndpointRow; at: number } | undefined> {
    const query = trx
      .selectFrom('webhook_endpoints')
      .selectAll()
      .select(clock.now().as('at'))
      .where('endpoint_id', '=', endpointId)
      .where('lease_owner', '=', owner)
      .where('deleted_at', 'is', null)
    const row = await (database.dialect === 'postgres'
      ? query.forNoKeyUpdate()
      : query
    ).executeTakeFirst()
    return row && { row, at: Number(row.at) }
  }

  /** Null if there is nothing to send, or nothing may be sent. */
  async function findNextDue(
    trx: Transaction,
    { endpointId }: EndpointLease,
    { state, retryAt }: EndpointHealth,
  ): Promise<number | null> {
    if (state === 'paused' || state === 'disabled') return null
    const row = await trx
      .selectFrom('deliveries')
      .select('due_at')
      .where('endpoint_id', '=', endpointId)
      .where(sql<boolean>`state = 'pending'`)
      .orderBy('due_at')
      .limit(1)
      .executeTakeFirst()
    if (row === undefined) return null
    return state === 'failing' ? Math.max(row.due_at, retryAt ?? 0) : row.due_at
  }
}

export type SettlementStore = ReturnType<typeof createSettlementStore>

async function updateEndpoint(
  trx: Transaction,
  { endpointId, owner }: EndpointLease,
  { health, finished }: Pick<Settlement, 'health' | 'finished'>,
  { dueAt, isReleased }: { readonly dueAt: number | null; readonly isReleased: boolean },
): Promise<void> {
  await trx
    .updateTable('webhook_endpoints')
    .set((eb) => ({
      state: health.state,
      state_reason: health.stateReason,
      failing_since: health.failingSince,
      failures_in_row: health.failuresInRow,
      probes: health.probes,
      retry_at: health.retryAt,
      last_success_at: health.lastSuccessAt,
      pending: eb('pending', '-', finished),
      due_at: dueAt,
      ...(isReleased ? { lease_owner: null, lease_until: null } : {}),
    }))
    .where('endpoint_id', '=', endpointId)
    .where('lease_owner', '=', owner)
    .execute()
}
