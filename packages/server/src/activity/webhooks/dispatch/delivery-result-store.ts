import { sql } from 'kysely'
import type { Database, Transaction } from '../../../platform/storage/database.ts'
import { jsonRows } from '../../../platform/storage/json-rows.ts'
import type { EventId, PublishedEvent } from '../../events/event.ts'
import type { WebhookEndpointId } from '../webhook-endpoint.ts'
import type { Settlement } from './plan-settlement.ts'
import { BLOCKING_ATTEMPTS } from './retry-schedule.ts'

/** What became of deliveries of an endpoint whose row is locked. */
export interface EndpointResults
  extends Pick<Settlement, 'deliveries' | 'failures' | 'releasedSubjects'> {
  readonly endpointId: WebhookEndpointId
  /** Epoch milliseconds of the clock that nodes share. */
  readonly at: number
}

/** Stores what became of deliveries of any number of endpoints, in three statements. */
export function createDeliveryResultStore(database: Database) {
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
