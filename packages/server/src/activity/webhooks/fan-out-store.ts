import { sql } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { createSharedClock, jsonRows } from '../../platform/storage/portable-sql.ts'
import type { EventSink, FindEventSinks, NumberedEvent } from '../events/number-store.ts'
import type { DeliveryRow } from './delivery.ts'
import { BLOCKING_ATTEMPTS } from './dispatch/plan-settlement.ts'
import type { WebhookEndpointRow } from './webhook-endpoint.ts'

type Endpoint = Pick<
  WebhookEndpointRow,
  'endpoint_id' | 'workspace_id' | 'types' | 'integration_definition_ids' | 'ordering'
>

type NewDelivery = Pick<
  DeliveryRow,
  'endpoint_id' | 'sequence' | 'event_id' | 'type' | 'subject'
> & {
  /** 1 if a delivery that is open must be waited for. */
  readonly is_ordered: number
  /** 1 if an earlier one of these deliveries must be waited for. */
  readonly is_behind: number
}

/**
 * Stores a delivery for each endpoint that receives an event, in the transaction that numbers it: `held` while an
 * earlier delivery of the same subject is open, if the endpoint wants them in order. Workspaces without endpoints cost
 * one look at an index together.
 */
export function createFanOut(database: Database, now: () => number): FindEventSinks {
  const clock = createSharedClock(database, now)
  return async (trx, workspaceIds) => {
    const byWorkspace = Map.groupBy(
      await lockEndpoints(trx, workspaceIds),
      ({ workspace_id }) => workspace_id,
    )
    return new Map(
      [...byWorkspace].map(([workspaceId, endpoints]): [WorkspaceId, EventSink] => [
        workspaceId,
        {
          maxEvents: Math.max(1, Math.floor(MAX_DELIVERIES / endpoints.length)),
          accept: (events) => store(trx, workspaceId, endpoints, events),
        },
      ]),
    )
  }

  /**
   * The locks order fan-out and settlement, so that neither misses the other's rows. In the order of ids: no deadlocks.
   */
  async function lockEndpoints(
    trx: Transaction,
    workspaceIds: readonly WorkspaceId[],
  ): Promise<Endpoint[]> {
    const query = trx
      .selectFrom('webhook_endpoints')
      .select(['endpoint_id', 'workspace_id', 'types', 'integration_definition_ids', 'ordering'])
      .where('workspace_id', 'in', workspaceIds)
      .where('deleted_at', 'is', null)
      .where('state', '!=', 'disabled')
      .orderBy('endpoint_id')
    return (database.dialect === 'postgres' ? query.forNoKeyUpdate() : query).execute()
  }

  async function store(
    trx: Transaction,
    workspaceId: WorkspaceId,
    endpoints: readonly Endpoint[],
    events: Parameters<EventSink['accept']>[0],
  ): Promise<void> {
    const deliveries = endpoints.map((endpoint) => createDeliveries(endpoint, events))
    if (deliveries.some((each) => each.length > 0))
      await insert(trx, workspaceId, deliveries.flat())
    const counts = endpoints.map(({ endpoint_id }, index) => ({
      endpoint_id,
      count: deliveries[index]?.length ?? 0,
    }))
    await notifyEndpoints(trx, counts, events.at(-1)?.sequence ?? 0)
  }

  async function insert(
    trx: Transaction,
    workspaceId: WorkspaceId,
    deliveries: readonly NewDelivery[],
  ): Promise<void> {
    const rows = jsonRows(database, DELIVERY_TYPES, deliveries, 'added')
    await sql`
      insert into deliveries (endpoint_id, sequence, round, workspace_id, event_id, type, subject,
        attempts, created_at, due_at, state)
      select endpoint_id, sequence, 0, ${sql.val(workspaceId)}, event_id, type, subject,
        0, ${clock.statementTime()}, ${clock.statementTime()},
        case when is_ordered = 1 and (is_behind = 1
          or exists (select 1 from deliveries open where open.endpoint_id = added.endpoint_id
            and open.subject = added.subject and open.state = 'pending'
            and open.attempts < ${sql.lit(BLOCKING_ATTEMPTS)})
          or exists (select 1 from deliveries open where open.endpoint_id = added.endpoint_id
            and open.subject = added.subject and open.state = 'held'))
          then 'held' else 'pending' end
      from ${rows} where true`.execute(trx)
  }

  /** An endpoint whose circuit is open waits for its probe, and a paused one is not due. */
  async function notifyEndpoints(
    trx: Transaction,
    counts: readonly { readonly endpoint_id: string; readonly count: number }[],
    lastSequence: number,
  ): Promise<void> {
    const rows = jsonRows(database, { endpoint_id: 'text', count: 'bigint' }, counts, 'added')
    const time = clock.statementTime()
    await sql`
      update webhook_endpoints set
        last_sequence = ${lastSequence},
        pending = webhook_endpoints.pending + added.count,
        due_at = case
          when added.count = 0 then webhook_endpoints.due_at
          when webhook_endpoints.state = 'active' and webhook_endpoints.due_at < ${time}
            then webhook_endpoints.due_at
          when webhook_endpoints.state = 'active' then ${time}
          when webhook_endpoints.state = 'failing'
            then coalesce(webhook_endpoints.due_at, webhook_endpoints.retry_at, ${time})
          else webhook_endpoints.due_at end
      from ${rows} where webhook_endpoints.endpoint_id = added.endpoint_id`.execute(trx)
  }
}

/** Rows of one transaction: SQLite inserts them on the main thread. */
const MAX_DELIVERIES = 1_000

const DELIVERY_TYPES = {
  endpoint_id: 'text',
  sequence: 'bigint',
  event_id: 'text',
  type: 'text',
  subject: 'text',
  is_ordered: 'bigint',
  is_behind: 'bigint',
} as const

function createDeliveries(
  { endpoint_id, types, integration_definition_ids, ordering }: Endpoint,
  events: readonly NumberedEvent[],
): NewDelivery[] {
  const wanted = types === null ? undefined : new Set<string>(JSON.parse(types))
  const definitionIds =
    integration_definition_ids === null
      ? undefined
      : new Set<string>(JSON.parse(integration_definition_ids))
  const subjects = new Set<string>()
  return events.flatMap(({ sequence, eventId: event_id, type, subject, accountDefinitionId }) => {
    const prefix = `${type.slice(0, type.indexOf('.'))}.*`
    if (wanted !== undefined && !wanted.has(type) && !wanted.has(prefix)) return []
    // An event of a definition has it as its subject.
    if (definitionIds !== undefined && !definitionIds.has(accountDefinitionId ?? subject)) return []
    const is_behind = Number(subjects.has(subject))
    subjects.add(subject)
    const is_ordered = Number(ordering === 'account')
    return [{ endpoint_id, sequence, event_id, type, subject, is_ordered, is_behind }]
  })
}
