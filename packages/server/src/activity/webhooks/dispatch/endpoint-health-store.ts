import { sql } from 'kysely'
import type { Database, Transaction } from '../../../platform/storage/database.ts'
import { jsonRows } from '../../../platform/storage/json-rows.ts'
import type { WebhookEndpointId } from '../webhook-endpoint.ts'
import type { EndpointHealth, Settlement } from './plan-settlement.ts'

/** What a settlement changes in the row of an endpoint. */
export interface EndpointUpdate extends Pick<Settlement, 'health' | 'finished'> {
  readonly endpointId: WebhookEndpointId
  /** When there is something to send; null for nothing. Epoch milliseconds. */
  readonly dueAt: number | null
  /** Whether the lease is given back. */
  readonly isReleased: boolean
}

/** The rows of endpoints that a settlement has locked. */
export function createEndpointHealthStore(database: Database) {
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
