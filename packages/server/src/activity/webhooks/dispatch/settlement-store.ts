import { type RawBuilder, sql } from 'kysely'
import type { Database, Transaction } from '../../../platform/storage/database.ts'
import { jsonRows } from '../../../platform/storage/json-rows.ts'
import { createSharedClock } from '../../../platform/storage/shared-clock.ts'
import type { WebhookEndpointRow } from '../../../platform/storage/tables.ts'
import type { WebhookEndpoint, WebhookEndpointId } from '../webhook-endpoint.ts'
import { toWebhookEndpoint } from '../webhook-endpoint-row-store.ts'
import { toHealth } from './claim-store.ts'
import { createDeliveryResultStore } from './delivery-result-store.ts'
import { createEndpointHealthStore, type EndpointUpdate } from './endpoint-health-store.ts'
import type { EndpointLease } from './lease-store.ts'
import { type AttemptResult, planSettlement } from './plan-settlement.ts'
import { getProbeDelay } from './retry-schedule.ts'

/** When to give the lease back: never, if nothing is due, or in any case. */
export type Release = 'never' | 'idle' | 'always'

/** What to settle of one endpoint. */
export interface SettlementRequest {
  readonly lease: EndpointLease
  readonly results: readonly AttemptResult[]
  readonly release: Release
}

/** `locked`: nothing is stored, because another transaction has locked the endpoint (PostgreSQL). */
export type SettlementOutcome = Pick<EndpointUpdate, 'isReleased'> | 'locked'

export interface SettlementOptions {
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

interface LockedEndpoint {
  readonly request: SettlementRequest
  readonly row: WebhookEndpointRow
  /** Epoch milliseconds of the clock that nodes share. */
  readonly at: number
}

/** Stores the results of attempts, and lets the deliveries behind them pass. */
export function createSettlementStore(database: Database, now: () => number) {
  const clock = createSharedClock(database, now)
  const deliveries = createDeliveryResultStore(database)
  const endpoints = createEndpointHealthStore(database)
  return {
    /**
     * Settles several endpoints in one transaction, which waits for no lock. An endpoint is missing in the result, and nothing
     * of it is stored, if its lease was lost.
     */
    settle(
      requests: readonly SettlementRequest[],
      { node, onTransition }: SettlementOptions,
    ): Promise<ReadonlyMap<WebhookEndpointId, SettlementOutcome>> {
      return database.transaction(async (trx) => {
        const locked = await lockEndpoints(trx, requests, { skipsLocked: true })
        const settlements = locked.map(({ request, row, at }) => ({
          ...planSettlement(toHealth(row), request.results, at),
          endpointId: row.endpoint_id,
          row,
          at,
          release: request.release,
        }))
        await deliveries.storeResults(trx, settlements, node)
        const dueTimes = await endpoints.listNextDue(trx, settlements)
        const updates = settlements.map((settlement) => ({
          ...settlement,
          ...decide(settlement, dueTimes.get(settlement.endpointId)),
        }))
        await endpoints.update(trx, updates)
        for (const { row, health, finished, transition, at } of updates) {
          if (transition === undefined) continue
          const change = { ...health, pending: row.pending - finished }
          await onTransition(trx, { ...toWebhookEndpoint(row), ...change }, transition, at)
        }
        const outcomes = new Map<WebhookEndpointId, SettlementOutcome>(
          updates.map(({ endpointId, isReleased }) => [endpointId, { isReleased }]),
        )
        if (locked.length < requests.length)
          for (const { endpoint_id } of await selectHeld(trx, requests))
            if (!outcomes.has(endpoint_id)) outcomes.set(endpoint_id, 'locked')
        return outcomes
      })
    },

    /** Gives the lease back until the next probe, because no key opens the secrets. Spends no attempts. */
    async postpone(lease: EndpointLease, stateReason: string): Promise<void> {
      await database.transaction(async (trx) => {
        const request = { lease, results: [], release: 'always' } as const
        const [locked] = await lockEndpoints(trx, [request], { skipsLocked: false })
        if (locked === undefined) return
        const before = toHealth(locked.row)
        const retryAt = locked.at + getProbeDelay(before.probes)
        const probes = before.probes + 1
        const health = { ...before, state: 'failing', stateReason, retryAt, probes } as const
        const { endpointId } = lease
        await endpoints.update(trx, [
          { endpointId, health, finished: 0, dueAt: retryAt, isReleased: true },
        ])
      })
    },
  }

  /**
   * The locks order settlement and fan-out, so that neither misses the other's rows. In the order of ids, as fan-out takes
   * them: no deadlocks.
   */
  async function lockEndpoints(
    trx: Transaction,
    requests: readonly SettlementRequest[],
    { skipsLocked }: { readonly skipsLocked: boolean },
  ): Promise<LockedEndpoint[]> {
    const lock = skipsLocked
      ? sql`for no key update of webhook_endpoints skip locked`
      : sql`for no key update of webhook_endpoints`
    const rows = await selectHeld(trx, requests, database.dialect === 'postgres' ? lock : sql``)
    return rows.flatMap((row) => {
      const request = requests.find(({ lease }) => lease.endpointId === row.endpoint_id)
      return request === undefined ? [] : [{ request, row, at: Number(row.now) }]
    })
  }

  /** The endpoints whose leases are still held. */
  async function selectHeld(
    trx: Transaction,
    requests: readonly SettlementRequest[],
    lock: RawBuilder<unknown> = sql``,
  ): Promise<(WebhookEndpointRow & { readonly now: number })[]> {
    const leases = requests.map(({ lease: { endpointId, owner } }) => ({
      endpoint_id: endpointId,
      owner,
    }))
    const held = jsonRows(database, { endpoint_id: 'text', owner: 'text' }, leases, 'held')
    // A cross join, so that SQLite begins with the leases.
    const { rows } = await sql<WebhookEndpointRow & { readonly now: number }>`
      select webhook_endpoints.*, ${clock.now()} as now from ${held} cross join webhook_endpoints
      where webhook_endpoints.endpoint_id = held.endpoint_id
        and webhook_endpoints.lease_owner = held.owner and webhook_endpoints.deleted_at is null
      order by webhook_endpoints.endpoint_id ${lock}`.execute(trx)
    return rows
  }
}

export type SettlementStore = ReturnType<typeof createSettlementStore>

/** `dueAt`: when there is something to send. */
function decide(
  { release, at }: { readonly release: Release; readonly at: number },
  dueAt: number | undefined,
): Pick<EndpointUpdate, 'dueAt' | 'isReleased'> {
  const isIdle = dueAt === undefined || dueAt > at
  return {
    dueAt: dueAt ?? null,
    isReleased: release === 'always' || (release === 'idle' && isIdle),
  }
}
