import { sql } from 'kysely'
import type { PublishedEvent } from '../../events/event.ts'
import { toPublishedEvent } from '../../events/event-store.ts'
import type { Database } from '../../storage/database.ts'
import { createSharedClock } from '../../storage/shared-clock.ts'
import type { WebhookEndpointRow } from '../../storage/tables.ts'
import type { WebhookEndpoint } from '../webhook-endpoint.ts'
import { toWebhookEndpoint } from '../webhook-endpoint-row-store.ts'
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

/** Reads what to send. The lease of the endpoint makes its reader the only one. */
export function createClaimStore(database: Database, now: () => number) {
  const clock = createSharedClock(database, now)
  return {
    /** Undefined if the lease was lost, or the endpoint is deleted. */
    async readEndpoint({ endpointId, owner }: EndpointLease): Promise<LeasedEndpoint | undefined> {
      const row = await database.read
        .selectFrom('webhook_endpoints')
        .selectAll()
        .select(clock.statementTime().as('at'))
        .where('endpoint_id', '=', endpointId)
        .where('lease_owner', '=', owner)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      if (row === undefined) return undefined
      return { endpoint: toWebhookEndpoint(row), health: toHealth(row), at: Number(row.at) }
    },

    /** At most `limit` deliveries that are due, the longest overdue first. */
    async listDue({ endpointId }: EndpointLease, limit: number): Promise<DueDelivery[]> {
      const rows = await database.read
        .selectFrom('deliveries')
        .leftJoin('events', (join) =>
          join
            .onRef('events.event_id', '=', 'deliveries.event_id')
            .onRef('events.workspace_id', '=', 'deliveries.workspace_id'),
        )
        .selectAll('events')
        .select(['deliveries.sequence as number', 'deliveries.round', 'deliveries.attempts'])
        .select(['deliveries.subject as about', 'deliveries.created_at as since'])
        .where('deliveries.endpoint_id', '=', endpointId)
        // Literal, as in the index.
        .where(sql<boolean>`deliveries.state = 'pending'`)
        .where('deliveries.due_at', '<=', clock.statementTime())
        .orderBy('deliveries.due_at')
        .orderBy('deliveries.sequence')
        .limit(limit)
        .execute()
      return rows.map(({ number, round, attempts, about, since, ...event }) => ({
        ...{ sequence: number, round, attempts, subject: about, createdAt: since },
        event: isComplete(event) ? toPublishedEvent(event) : undefined,
      }))
    },
  }
}

export type ClaimStore = ReturnType<typeof createClaimStore>

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
