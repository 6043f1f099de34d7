import { type RawBuilder, sql } from 'kysely'
import type { Database, Transaction } from '../../../platform/storage/database.ts'
import { createSharedClock, jsonRows } from '../../../platform/storage/portable-sql.ts'
import type { EventId, PublishedEvent } from '../../events/event.ts'
import type { WebhookEndpoint, WebhookEndpointId, WebhookEndpointRow } from '../webhook-endpoint.ts'
import { toWebhookEndpoint } from '../webhook-endpoint-store.ts'
import { toHealth } from './claim-store.ts'
import type { EndpointLease } from './lease-store.ts'
import {
  type AttemptResult,
  BLOCKING_ATTEMPTS,
  type EndpointHealth,
  getProbeDelay,
  planSettlement,
  type Settlement,
} from './plan-settlement.ts'

/** When to give the lease back: never, if nothing is due, or in any case. */
export type ReleaseCondition = 'never' | 'idle' | 'always'

/** What to settle of one endpoint. */
export interface SettlementRequest {
  readonly lease: EndpointLease
  readonly results: readonly AttemptResult[]
  readonly release: ReleaseCondition
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
  { release, at }: { readonly release: ReleaseCondition; readonly at: number },
  dueAt: number | undefined,
): Pick<EndpointUpdate, 'dueAt' | 'isReleased'> {
  const isIdle = dueAt === undefined || dueAt > at
  return {
    dueAt: dueAt ?? null,
    isReleased: release === 'always' || (release === 'idle' && isIdle),
  }
}

/** What a settlement changes in the row of an endpoint. */
interface EndpointUpdate extends Pick<Settlement, 'health' | 'finished'> {
  readonly endpointId: WebhookEndpointId
  /** When there is something to send; null for nothing. Epoch milliseconds. */
  readonly dueAt: number | null
  /** Whether the lease is given back. */
  readonly isReleased: boolean
}

/** The rows of endpoints that a settlement has locked. */
function createEndpointHealthStore(database: Database) {
  return { listNextDue, update }

  /** When each endpoint has something to send again. Those that have not, or may not, are missing. */
  async function listNextDue(
    trx: Transaction,
    endpoints: readonly Pick<EndpointUpdate, 'endpointId' | 'health'>[],
  ): Promise<ReadonlyMap<WebhookEndpointId, number>> {
    const sending = endpoints.filter(
      ({ health }) => health.state === 'active' || health.state === 'failing',
    )
    if (sending.length === 0) return new Map()
    const ids = sending.map(({ endpointId }) => ({ endpoint_id: endpointId }))
    const { rows } = await sql<{ endpoint_id: WebhookEndpointId; due_at: number | null }>`
      select endpoint_id, (select due_at from deliveries
          where deliveries.endpoint_id = sending.endpoint_id and deliveries.state = 'pending'
          order by due_at limit 1) as due_at
      from ${jsonRows(database, { endpoint_id: 'text' }, ids, 'sending')}`.execute(trx)
    const retryTimes = new Map(
      sending.map(({ endpointId, health }) => [endpointId, getRetryTime(health)]),
    )
    return new Map(
      rows.flatMap(({ endpoint_id, due_at }) =>
        due_at === null ? [] : [[endpoint_id, Math.max(due_at, retryTimes.get(endpoint_id) ?? 0)]],
      ),
    )
  }

  async function update(trx: Transaction, updates: readonly EndpointUpdate[]): Promise<void> {
    if (updates.length === 0) return
    const rows = updates.map(({ endpointId, health, finished, dueAt, isReleased }) => ({
      endpoint_id: endpointId,
      state: health.state,
      state_reason: health.stateReason,
      failing_since: health.failingSince,
      failures_in_row: health.failuresInRow,
      probes: health.probes,
      retry_at: health.retryAt,
      last_success_at: health.lastSuccessAt,
      finished,
      due_at: dueAt,
      is_released: Number(isReleased),
    }))
    await sql`
      update webhook_endpoints set state = settled.state, state_reason = settled.state_reason,
        failing_since = settled.failing_since, failures_in_row = settled.failures_in_row,
        probes = settled.probes, retry_at = settled.retry_at,
        last_success_at = settled.last_success_at,
        pending = webhook_endpoints.pending - settled.finished, due_at = settled.due_at,
        lease_owner = case when settled.is_released = 1 then null
          else webhook_endpoints.lease_owner end,
        lease_until = case when settled.is_released = 1 then null
          else webhook_endpoints.lease_until end
      from ${jsonRows(database, UPDATE_TYPES, rows, 'settled')}
      where webhook_endpoints.endpoint_id = settled.endpoint_id`.execute(trx)
  }
}

/** While the circuit is open, nothing is sent before the next probe. */
function getRetryTime({ state, retryAt }: EndpointHealth): number {
  return state === 'failing' ? (retryAt ?? 0) : 0
}

const UPDATE_TYPES = {
  endpoint_id: 'text',
  state: 'text',
  state_reason: 'text',
  failing_since: 'bigint',
  failures_in_row: 'bigint',
  probes: 'bigint',
  retry_at: 'bigint',
  last_success_at: 'bigint',
  finished: 'bigint',
  due_at: 'bigint',
  is_released: 'bigint',
} as const

/** What became of deliveries of an endpoint whose row is locked. */
export interface EndpointResults
  extends Pick<Settlement, 'deliveries' | 'failures' | 'releasedSubjects'> {
  readonly endpointId: WebhookEndpointId
  /** Epoch milliseconds of the clock that nodes share. */
  readonly at: number
}

/** Stores what became of deliveries of any number of endpoints, in three statements. */
function createDeliveryResultStore(database: Database) {
  return {
    async storeResults(
      trx: Transaction,
      endpoints: readonly EndpointResults[],
      node: string,
    ): Promise<void> {
      await updateDeliveries(trx, endpoints)
      await insertFailures(trx, endpoints, node)
      await promoteHeld(trx, endpoints)
    },
  }

  async function updateDeliveries(
    trx: Transaction,
    endpoints: readonly EndpointResults[],
  ): Promise<void> {
    // With a constant `endpoint_id`, SQLite would read all deliveries of the endpoint.
    const rows = endpoints.flatMap(({ endpointId, deliveries, at }) =>
      deliveries.map(({ dueAt, subject: _, ...rest }) => ({
        ...rest,
        due_at: dueAt,
        last_at: at,
        endpoint_id: endpointId,
      })),
    )
    if (rows.length === 0) return
    await sql`
      update deliveries set state = settled.state, attempts = settled.attempts, due_at = settled.due_at,
        last_status = settled.status, last_ms = settled.ms, last_at = settled.last_at
      from ${jsonRows(database, SETTLED_TYPES, rows, 'settled')}
      where deliveries.endpoint_id = settled.endpoint_id and deliveries.sequence = settled.sequence
        and deliveries.round = settled.round`.execute(trx)
  }

  async function insertFailures(
    trx: Transaction,
    endpoints: readonly EndpointResults[],
    node: string,
  ): Promise<void> {
    const unchanged = await findUnchanged(trx, endpoints)
    const rows = endpoints.flatMap(({ endpointId, failures, at }) =>
      failures.map(({ attempt, result: { delivery, ms, status, code, response } }) => ({
        endpoint_id: endpointId,
        sequence: delivery.sequence,
        round: delivery.round,
        attempt,
        at,
        ms,
        status,
        code: code ?? '',
        node,
        response: unchanged.has(delivery.event?.eventId) ? response : '',
      })),
    )
    if (rows.length === 0) return
    await sql`
      insert into delivery_failures
        (endpoint_id, sequence, round, attempt, at, ms, status, code, response, node)
      select endpoint_id, sequence, round, attempt, at, ms, status, code, response, node
      from ${jsonRows(database, FAILURE_TYPES, rows, 'failed')} where true
      on conflict do nothing`.execute(trx)
  }

  /**
   * The events that are stored as they were sent. A response may repeat the event, so it is not logged if an erasure has
   * scrubbed the event in the meantime, or is about to. The lock keeps others from doing so until it is visible to them.
   */
  async function findUnchanged(
    trx: Transaction,
    endpoints: readonly EndpointResults[],
  ): Promise<ReadonlySet<EventId | undefined>> {
    const sent = endpoints.flatMap(({ failures }) =>
      failures.flatMap(({ result: { delivery, response } }) =>
        response === '' || delivery.event === undefined ? [] : [delivery.event],
      ),
    )
    if (sent.length === 0) return new Set()
    const ids = [...new Set(sent.map(({ eventId }) => eventId))]
    const query = trx.selectFrom('events').select(['event_id', 'data']).where('event_id', 'in', ids)
    const isPostgres = database.dialect === 'postgres'
    const rows = await (isPostgres ? query.forShare().skipLocked() : query).execute()
    const stored = new Map(rows.map((row) => [row.event_id, row.data]))
    const isStored = ({ eventId, data }: PublishedEvent) =>
      stored.get(eventId) === JSON.stringify(data)
    return new Set(sent.filter(isStored).map(({ eventId }) => eventId))
  }

  /** Lets the oldest held delivery of each subject pass, unless another one is still open. */
  async function promoteHeld(
    trx: Transaction,
    endpoints: readonly EndpointResults[],
  ): Promise<void> {
    const rows = endpoints.flatMap(({ endpointId, releasedSubjects, at }) =>
      releasedSubjects.map((subject) => ({ endpoint_id: endpointId, subject, at })),
    )
    if (rows.length === 0) return
    const oldest = sql`from deliveries waiting where waiting.endpoint_id = released.endpoint_id
      and waiting.subject = released.subject and waiting.state = 'held'
      order by waiting.sequence, waiting.round limit 1`
    await sql`
      update deliveries set state = 'pending', due_at = promoted.at
      from (select released.endpoint_id, released.subject, released.at,
          (select waiting.sequence ${oldest}) as sequence, (select waiting.round ${oldest}) as round
        from ${jsonRows(database, RELEASED_TYPES, rows, 'released')}
        where not exists (select 1 from deliveries open
          where open.endpoint_id = released.endpoint_id
          and open.subject = released.subject and open.state = 'pending'
          and open.attempts < ${sql.lit(BLOCKING_ATTEMPTS)})) as promoted
      where deliveries.endpoint_id = promoted.endpoint_id and deliveries.state = 'held'
        and deliveries.subject = promoted.subject and deliveries.sequence = promoted.sequence
        and deliveries.round = promoted.round`.execute(trx)
  }
}

const KEY_TYPES = { endpoint_id: 'text', sequence: 'bigint', round: 'bigint' } as const

const SETTLED_TYPES = {
  ...KEY_TYPES,
  state: 'text',
  attempts: 'bigint',
  due_at: 'bigint',
  status: 'bigint',
  ms: 'bigint',
  last_at: 'bigint',
} as const

const FAILURE_TYPES = {
  ...KEY_TYPES,
  attempt: 'bigint',
  at: 'bigint',
  ms: 'bigint',
  status: 'bigint',
  code: 'text',
  response: 'text',
  node: 'text',
} as const

const RELEASED_TYPES = { endpoint_id: 'text', subject: 'text', at: 'bigint' } as const
