import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { DeliveryFailureRow, DeliveryRow } from '../../platform/storage/tables.ts'
import type { EventId } from '../events/event.ts'
import type {
  Delivery,
  DeliveryFailure,
  DeliveryState,
  WebhookEndpoint,
} from './webhook-endpoint.ts'

/** A position in the list of deliveries. */
export interface DeliveryPosition {
  readonly sequence: number
  readonly round: number
}

/** Reads the deliveries to an endpoint. */
export function createDeliveryListStore(database: Database) {
  const selectDeliveries = (access: WorkspaceAccess, endpoint: WebhookEndpoint) =>
    database.read
      .selectFrom('deliveries')
      .selectAll()
      .where('endpoint_id', '=', endpoint.endpointId)
      .where(isAccessibleWorkspace(access, endpoint.workspaceId))
      .orderBy('sequence', 'desc')
      .orderBy('round', 'desc')

  return {
    /** At most `limit` deliveries below a position, the newest events first. */
    async list(
      access: WorkspaceAccess,
      endpoint: WebhookEndpoint,
      before: DeliveryPosition | undefined,
      { state, limit }: { readonly state: DeliveryState | undefined; readonly limit: number },
    ): Promise<Delivery[]> {
      let query = selectDeliveries(access, endpoint)
      if (state !== undefined) query = query.where('state', '=', state)
      if (before !== undefined) {
        const { sequence, round } = before
        // The first condition bounds the index, whose last column the second one compares.
        query = query
          .where('sequence', '<=', sequence)
          .where((eb) => eb.or([eb('sequence', '<', sequence), eb('round', '<', round)]))
      }
      return (await query.limit(limit).execute()).map(toDelivery)
    },

    /** The last deliveries of an event, one per replay, the newest first. */
    async listOfEvent(
      access: WorkspaceAccess,
      endpoint: WebhookEndpoint,
      eventId: EventId,
      limit: number,
    ): Promise<Delivery[]> {
      const rows = await selectDeliveries(access, endpoint)
        .where('event_id', '=', eventId)
        .limit(limit)
        .execute()
      return rows.map(toDelivery)
    },

    /** The last attempts that failed, the newest first. */
    async listFailures(
      access: WorkspaceAccess,
      endpoint: WebhookEndpoint,
      sequence: number,
      limit: number,
    ): Promise<DeliveryFailure[]> {
      const rows = await database.read
        .selectFrom('delivery_failures')
        .selectAll()
        .where('endpoint_id', '=', endpoint.endpointId)
        .where('sequence', '=', sequence)
        .where(isAccessibleWorkspace(access, endpoint.workspaceId))
        .orderBy('round', 'desc')
        .orderBy('attempt', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toFailure)
    },
  }
}

export type DeliveryListStore = ReturnType<typeof createDeliveryListStore>

function toDelivery(row: DeliveryRow): Delivery {
  return {
    endpointId: row.endpoint_id,
    workspaceId: row.workspace_id,
    sequence: row.sequence,
    round: row.round,
    eventId: row.event_id,
    type: row.type,
    subject: row.subject,
    state: row.state as DeliveryState,
    attempts: row.attempts,
    createdAt: row.created_at,
    dueAt: row.due_at,
    lastStatus: row.last_status,
    lastMs: row.last_ms,
    lastAt: row.last_at,
  }
}

function toFailure(row: DeliveryFailureRow): DeliveryFailure {
  const { sequence, round, attempt, at, ms, status, code, response } = row
  return { sequence, round, attempt, at, ms, status, code, response }
}
