import { type Expression, type Kysely, sql } from 'kysely'
import type { Database, Param } from '../../../platform/storage/database.ts'
import { createSharedClock } from '../../../platform/storage/portable-sql.ts'
import type { Tables } from '../../../platform/storage/tables.ts'
import type { PublishedEvent } from '../../events/event.ts'
import { toPublishedEvent } from '../../events/event-store.ts'
import type { WebhookEndpoint, WebhookEndpointId, WebhookEndpointRow } from '../webhook-endpoint.ts'
import { toWebhookEndpoint } from '../webhook-endpoint-store.ts'
import type { EndpointLease } from './lease-store.ts'
import type { ClaimedDelivery, EndpointHealth } from './plan-settlement.ts'

/** An endpoint as its lease holder sees it. */
export interface LeasedEndpoint {
  readonly endpoint: WebhookEndpoint
  readonly health: EndpointHealth
  /** When it was read: epoch milliseconds of the clock that nodes share. */
  readonly at: number
}

/** A delivery with its event, which retention may have deleted. */
export interface DueDelivery extends ClaimedDelivery {
  readonly event: PublishedEvent | undefined
}

/** What identifies a delivery of an endpoint. */
export type DeliveryKey = Pick<ClaimedDelivery, 'sequence' | 'round'>

/** Reads what to send. The lease of the endpoint makes its reader the only one. */
export function createDeliveryClaimStore(database: Database, now: () => number) {
  const clock = createSharedClock(database, now)
  /** SQLite uses the clock of the process, so each call passes the time. */
  const getTime = (time: Expression<number>) =>
    database.dialect === 'postgres' ? clock.statementTime() : sql<number>`cast(${time} as integer)`
  const findLeased = database.prepare((db, param: Param<LeaseParams>) =>
    db
      .selectFrom('webhook_endpoints')
      .selectAll()
      .select(getTime(param('time')).as('at'))
      .where('endpoint_id', '=', param('endpointId'))
      .where('lease_owner', '=', param('owner'))
      .where('deleted_at', 'is', null),
  )
  const listDue = database.prepare((db, param: Param<DueParams>) =>
    db
      .selectFrom(selectDue(db, param).as('due'))
      .leftJoin('events', (join) =>
        join
          .onRef('events.event_id', '=', 'due.event_id')
          .onRef('events.workspace_id', '=', 'due.workspace_id'),
      )
      .selectAll('events')
      .select(['due.sequence as number', 'due.round', 'due.attempts'])
      .select(['due.subject as about', 'due.created_at as since'])
      .orderBy('due.due_at')
      .orderBy('due.sequence'),
  )

  function selectDue(db: Kysely<Tables>, param: Param<DueParams>) {
    const elements =
      database.dialect === 'postgres'
        ? sql`select (value ->> 0)::bigint, (value ->> 1)::bigint from json_array_elements(${param('claimed')}::json)`
        : sql`select value ->> 0, value ->> 1 from json_each(${param('claimed')})`
    return (
      db
        .selectFrom('deliveries')
        .select(['workspace_id', 'event_id', 'sequence', 'round', 'attempts', 'subject'])
        .select(['created_at', 'due_at'])
        .where('endpoint_id', '=', param('endpointId'))
        // Literal, as in the index.
        .where(sql<boolean>`state = 'pending'`)
        .where('due_at', '<=', getTime(param('time')))
        .where(sql<boolean>`(sequence, round) not in (${elements})`)
        .orderBy('due_at')
        .orderBy('sequence')
        .limit(param('limit'))
    )
  }

  return {
    /** Undefined if the lease was lost, or the endpoint is deleted. */
    async readEndpoint({ endpointId, owner }: EndpointLease): Promise<LeasedEndpoint | undefined> {
      const row = await findLeased.first({ endpointId, owner, time: now() })
      return row && { endpoint: toWebhookEndpoint(row), health: toHealth(row), at: Number(row.at) }
    },

    /**
     * At most `limit` deliveries that are due and not `claimed`, the longest overdue first. What was claimed when this is
     * called is left out even if it is settled meanwhile.
     */
    async listDue(
      { endpointId }: EndpointLease,
      limit: number,
      claimed: readonly DeliveryKey[] = [],
    ): Promise<DueDelivery[]> {
      const keys = JSON.stringify(claimed.map(({ sequence, round }) => [sequence, round]))
      const rows = await listDue.all({ endpointId, time: now(), limit, claimed: keys })
      return rows.map(({ number, round, attempts, about, since, ...event }) => ({
        sequence: number,
        round,
        attempts,
        subject: about,
        createdAt: since,
        event: isComplete(event) ? toPublishedEvent(event) : undefined,
      }))
    },
  }
}

export type DeliveryClaimStore = ReturnType<typeof createDeliveryClaimStore>

interface LeaseParams {
  readonly endpointId: WebhookEndpointId
  readonly owner: string
  readonly time: number
}

interface DueParams {
  readonly endpointId: WebhookEndpointId
  readonly time: number
  readonly limit: number
  /** JSON array of pairs of sequence number and round. */
  readonly claimed: string
}

type EventColumns = Parameters<typeof toPublishedEvent>[0]

/** A left join has no columns of an event that is deleted. */
function isComplete(
  row: { readonly [Column in keyof EventColumns]: EventColumns[Column] | null },
): row is EventColumns {
  return row.event_id !== null
}

/** The columns that tell how a receiver does. */
export function toHealth(
  row: Pick<
    WebhookEndpointRow,
    | 'state'
    | 'state_reason'
    | 'failing_since'
    | 'failures_in_row'
    | 'probes'
    | 'retry_at'
    | 'last_success_at'
  >,
): EndpointHealth {
  return {
    state: row.state as EndpointHealth['state'],
    stateReason: row.state_reason,
    failingSince: row.failing_since,
    failuresInRow: row.failures_in_row,
    probes: row.probes,
    retryAt: row.retry_at,
    lastSuccessAt: row.last_success_at,
  }
}
