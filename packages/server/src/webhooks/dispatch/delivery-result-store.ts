import { sql } from 'kysely'
import type { Database, Transaction } from '../../storage/database.ts'
import { jsonRows } from '../../storage/json-rows.ts'
import type { EndpointLease } from './lease-store.ts'
import type { Settlement } from './plan-settlement.ts'
import { BLOCKING_ATTEMPTS } from './retry-schedule.ts'

/** Stores what became of deliveries, under the lock on their endpoint. */
export function createDeliveryResultStore(database: Database) {
  return { storeResults }

  async function storeResults(
    trx: Transaction,
    lease: EndpointLease,
    { deliveries, failures, releasedSubjects }: Settlement,
    { at, node }: { readonly at: number; readonly node: string },
  ): Promise<void> {
    if (deliveries.length > 0) await updateDeliveries(trx, lease, deliveries, at)
    if (failures.length > 0) await insertFailures(trx, lease, failures, at, node)
    if (releasedSubjects.length > 0) await promoteHeld(trx, lease, releasedSubjects, at)
  }

  async function updateDeliveries(
    trx: Transaction,
    { endpointId }: EndpointLease,
    deliveries: Settlement['deliveries'],
    at: number,
  ): Promise<void> {
    // With a constant `endpoint_id`, SQLite would read all deliveries of the endpoint.
    const rows = deliveries.map(({ dueAt, subject: _, ...rest }) => ({
      ...{ ...rest, due_at: dueAt, endpoint_id: endpointId },
    }))
    await sql`
      update deliveries set state = settled.state, attempts = settled.attempts,
        due_at = settled.due_at, last_status = settled.status, last_ms = settled.ms, last_at = ${at}
      from ${jsonRows(database, SETTLED_TYPES, rows, 'settled')}
      where deliveries.endpoint_id = settled.endpoint_id and deliveries.sequence = settled.sequence
        and deliveries.round = settled.round`.execute(trx)
  }

  async function insertFailures(
    trx: Transaction,
    { endpointId }: EndpointLease,
    failures: Settlement['failures'],
    at: number,
    node: string,
  ): Promise<void> {
    const rows = failures.map(({ attempt, result: { delivery, ms, status, code, response } }) => ({
      ...{ endpoint_id: endpointId, sequence: delivery.sequence, round: delivery.round },
      ...{ attempt, at, ms, status, code: code ?? '', response, node },
    }))
    await trx
      .insertInto('delivery_failures')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  /** Lets the oldest held delivery of each subject pass, unless another one is still open. */
  async function promoteHeld(
    trx: Transaction,
    { endpointId }: EndpointLease,
    subjects: readonly string[],
    at: number,
  ): Promise<void> {
    const rows = subjects.map((subject) => ({ endpoint_id: endpointId, subject }))
    const types = { endpoint_id: 'text', subject: 'text' } as const
    await sql`
      update deliveries set state = 'pending', due_at = ${at}
      from (select released.endpoint_id, released.subject,
          (select waiting.sequence from deliveries waiting
            where waiting.endpoint_id = released.endpoint_id
            and waiting.subject = released.subject and waiting.state = 'held'
            order by waiting.sequence limit 1) as sequence
        from ${jsonRows(database, types, rows, 'released')}
        where not exists (select 1 from deliveries open
          where open.endpoint_id = released.endpoint_id
          and open.subject = released.subject and open.state = 'pending'
          and open.attempts < ${sql.lit(BLOCKING_ATTEMPTS)})) as promoted
      where deliveries.endpoint_id = promoted.endpoint_id and deliveries.state = 'held'
        and deliveries.subject = promoted.subject
        and deliveries.sequence = promoted.sequence`.execute(trx)
  }
}

const SETTLED_TYPES = {
  endpoint_id: 'text',
  sequence: 'bigint',
  round: 'bigint',
  state: 'text',
  attempts: 'bigint',
  due_at: 'bigint',
  status: 'bigint',
  ms: 'bigint',
} as const
