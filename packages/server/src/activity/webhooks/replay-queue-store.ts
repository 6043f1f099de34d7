import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { splitIntoChunks } from '../../platform/storage/split-into-chunks.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { EventId } from '../events/event.ts'
import type { DeliveryState, WebhookEndpoint } from './webhook-endpoint.ts'

/** Which events of an endpoint to queue. Absent members do not restrict them. */
export interface ReplaySelection {
  readonly sequences?: { readonly after: number; readonly until: number }
  readonly sequenceList?: readonly number[]
  /** Epoch milliseconds. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly eventIds?: readonly EventId[]
  /** Whether to queue events that the endpoint has accepted, too. */
  readonly isDeliveredIncluded: boolean
  /** Whether to queue only events that the endpoint subscribes to. */
  readonly isFiltered: boolean
}

/** What determines the events of an endpoint. */
type QueuedEndpoint = Pick<
  WebhookEndpoint,
  'endpointId' | 'workspaceId' | 'types' | 'definitionIds'
>

/**
 * Queues events of a workspace for one of its endpoints. They are `queued` until `promoteReplays` makes them pending. An
 * event that is on its way to the endpoint is not queued again.
 */
export function createReplayQueueStore(database: Database, now: () => number) {
  return {
    /** Queues what one batch selects and returns how many; undefined if there is no such endpoint anymore. */
    queue(
      access: WorkspaceAccess,
      endpoint: WebhookEndpoint,
      selection: ReplaySelection,
    ): Promise<number | undefined> {
      return database.transaction(async (trx) => {
        if (!(await lockEndpoint(trx, access, endpoint))) return undefined
        return queueIn(trx, endpoint, selection)
      })
    },

    queueIn,
    ...createReplayCandidateStore(database),
  }

  /** As `queue`, in a transaction that has locked the endpoint. */
  async function queueIn(
    trx: Transaction,
    endpoint: QueuedEndpoint,
    selection: ReplaySelection,
  ): Promise<number> {
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('deliveries')
      .columns(COLUMNS)
      .expression(selectEvents(trx, endpoint, selection, now()))
      .executeTakeFirstOrThrow()
    const count = Number(numInsertedOrUpdatedRows ?? 0)
    if (count > 0)
      await trx
        .updateTable('webhook_endpoints')
        .set((eb) => ({ queued: eb('queued', '+', count) }))
        .where('endpoint_id', '=', endpoint.endpointId)
        .where('workspace_id', '=', endpoint.workspaceId)
        .execute()
    return count
  }

  /** Serializes with other replays, which would use the same `round`. */
  async function lockEndpoint(
    trx: Transaction,
    access: WorkspaceAccess,
    { endpointId }: WebhookEndpoint,
  ): Promise<boolean> {
    const row = await trx
      .updateTable('webhook_endpoints')
      .set((eb) => ({ queued: eb.ref('queued') }))
      .where('endpoint_id', '=', endpointId)
      .where('deleted_at', 'is', null)
      .where(isInAccessibleWorkspace(access, 'webhook_endpoints'))
      .returning('endpoint_id')
      .executeTakeFirst()
    return row !== undefined
  }

  function selectEvents(
    trx: Transaction,
    { endpointId, workspaceId, types, definitionIds }: QueuedEndpoint,
    { isDeliveredIncluded, isFiltered, ...selection }: ReplaySelection,
    time: number,
  ) {
    const { sequences, sequenceList, since, until, eventIds } = selection
    const open: DeliveryState[] = ['queued', 'pending', 'held']
    const excluded: DeliveryState[] = isDeliveredIncluded ? open : [...open, 'delivered']
    let query = trx
      .selectFrom('events')
      .select([sql.val(endpointId).as('endpoint_id'), sql<number>`sequence`.as('sequence')])
      .select(
        sql<number>`(select coalesce(max(earlier.round) + 1, 0) from deliveries as earlier
          where earlier.endpoint_id = ${endpointId} and earlier.sequence = events.sequence)`.as(
          'round',
        ),
      )
      .select(['workspace_id', 'event_id', 'type', 'subject'])
      .select([sql<string>`'queued'`.as('state'), sql<number>`0`.as('attempts')])
      .select([
        sql<number>`cast(${time} as bigint)`.as('created_at'),
        sql<number>`cast(${time} as bigint)`.as('due_at'),
      ])
      .where('workspace_id', '=', workspaceId)
      .where('sequence', 'is not', null)
      .where(
        sql<SqlBool>`not exists (select 1 from deliveries as other
          where other.endpoint_id = ${endpointId} and other.sequence = events.sequence
          and other.state in (${sql.join(excluded)}))`,
      )
    if (sequences !== undefined)
      query = query.where('sequence', '>', sequences.after).where('sequence', '<=', sequences.until)
    if (sequenceList !== undefined) query = query.where('sequence', 'in', sequenceList)
    if (since !== undefined) query = query.where('at', '>=', since)
    if (until !== undefined) query = query.where('at', '<', until)
    if (eventIds !== undefined) query = query.where('event_id', 'in', eventIds)
    if (isFiltered && types !== null)
      query = query.where((where) => where.or(types.map((type) => matchesType(where, type))))
    if (isFiltered && definitionIds !== null)
      query = query.where(getDefinitionId(), 'in', definitionIds)
    return query
  }

  /** The definition of an account, or the subject, which is one in events of definitions. */
  function getDefinitionId() {
    return database.dialect === 'postgres'
      ? sql<string>`coalesce(data::json #>> '{account,integrationDefinitionId}', subject)`
      : sql<string>`coalesce(data ->> '$.account.integrationDefinitionId', subject)`
  }
}

const COLUMNS = [
  'endpoint_id',
  'sequence',
  'round',
  'workspace_id',
  'event_id',
  'type',
  'subject',
  'state',
  'attempts',
  'created_at',
  'due_at',
] as const

function matchesType(
  eb: ExpressionBuilder<Tables, 'events'>,
  type: string,
): ExpressionWrapper<Tables, 'events', SqlBool> {
  if (!type.endsWith('.*')) return eb('type', '=', type)
  return eb.and([eb('type', '>=', type.slice(0, -1)), eb('type', '<', type.replace('.*', '/'))])
}

export type ReplayQueueStore = ReturnType<typeof createReplayQueueStore>

/** Reads which events a replay can queue. */
function createReplayCandidateStore(database: Database) {
  return {
    /** The ids of those events that are in the workspace. */
    async listKnown(
      access: WorkspaceAccess,
      { workspaceId }: WebhookEndpoint,
      eventIds: readonly EventId[],
    ): Promise<ReadonlySet<string>> {
      const chunks = await Promise.all(
        splitIntoChunks(eventIds).map((chunk) =>
          database.read
            .selectFrom('events')
            .select('event_id')
            .where('event_id', 'in', chunk)
            .where('workspace_id', '=', workspaceId)
            .where('sequence', 'is not', null)
            .where(isAccessibleWorkspace(access, workspaceId))
            .execute(),
        ),
      )
      return new Set(chunks.flat().map((row) => row.event_id))
    },

    /** The time of the first event with this or a higher sequence number, in epoch milliseconds. */
    async findTime(
      access: WorkspaceAccess,
      { workspaceId }: WebhookEndpoint,
      sequence: number,
    ): Promise<number | undefined> {
      const row = await database.read
        .selectFrom('events')
        .select('at')
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('sequence', '>=', sequence)
        .orderBy('sequence')
        .limit(1)
        .executeTakeFirst()
      return row?.at
    },

    /** The sequence numbers of failed deliveries above `after`, ascending. */
    async listFailed(
      access: WorkspaceAccess,
      { endpointId }: WebhookEndpoint,
      after: number,
      limit: number,
    ): Promise<number[]> {
      const rows = await database.read
        .selectFrom('deliveries')
        .select('sequence')
        .distinct()
        .where('endpoint_id', '=', endpointId)
        .where(sql<boolean>`state = 'failed'`)
        .where('sequence', '>', after)
        .where(isInAccessibleWorkspace(access, 'deliveries'))
        .orderBy('sequence')
        .limit(limit)
        .execute()
      return rows.map((row) => row.sequence)
    },
  }
}
