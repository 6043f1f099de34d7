import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { Log } from '../../platform/http/log.ts'
import { type Rounds, startRounds } from '../../platform/rounds.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { createSharedClock, splitIntoChunks } from '../../platform/storage/portable-sql.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { EventId } from '../events/event.ts'
import type { DeliveryState } from './delivery.ts'
import { BLOCKING_ATTEMPTS } from './dispatch/plan-settlement.ts'
import type { WebhookEndpoint, WebhookEndpointId } from './webhook-endpoint.ts'

/** Which events of an endpoint to queue: these, or those of a range that the endpoint subscribes to. */
export interface ReplaySelection {
  readonly eventIds?: readonly EventId[]
  readonly range?: ReplayRange
  /** Whether to queue events that the endpoint has accepted, too. */
  readonly isDeliveredIncluded: boolean
}

/** Sequence numbers above `after` and up to `last`, and times in epoch milliseconds. */
export interface ReplayRange {
  readonly after: number
  readonly last?: number | undefined
  readonly since: number
  readonly until?: number | undefined
}

/**
 * Replays: events are queued again for an endpoint as deliveries in the state `queued`, which become pending behind live ones.
 * An event that is on its way to the endpoint is not queued again.
 */
export function createReplayStore(database: Database, now: () => number) {
  const clock = createSharedClock(database, now)
  return {
    /** Queues events and returns how many; undefined if there is no such endpoint anymore. */
    async queue(
      trx: Transaction,
      access: WorkspaceAccess,
      endpoint: WebhookEndpoint,
      selection: ReplaySelection,
    ): Promise<number | undefined> {
      const { endpointId } = endpoint
      // Serializes with other replays, which would use the same `round`.
      const change = (count: number) =>
        trx
          .updateTable('webhook_endpoints')
          .set((eb) => ({ queued: eb('queued', '+', count) }))
          .where('endpoint_id', '=', endpointId)
          .where('deleted_at', 'is', null)
          .where(isInAccessibleWorkspace(access, 'webhook_endpoints'))
          .returning('endpoint_id')
          .executeTakeFirst()
      if ((await change(0)) === undefined) return undefined
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('deliveries')
        .columns(COLUMNS)
        .expression(selectEvents(trx, endpoint, selection))
        .executeTakeFirstOrThrow()
      const count = Number(numInsertedOrUpdatedRows ?? 0)
      if (count > 0) await change(count)
      return count
    },

    /** Endpoints with a replay that have few other deliveries to send: a replay stays behind live events. */
    async listReady(limit: number): Promise<WebhookEndpointId[]> {
      const rows = await database.read
        .selectFrom('webhook_endpoints')
        .select('endpoint_id')
        .where('queued', '>', sql<number>`0`)
        .where('pending', '<', MAX_PENDING)
        .where('state', '=', 'active')
        .where('deleted_at', 'is', null)
        .limit(limit)
        .execute()
      return rows.map((row) => row.endpoint_id)
    },

    /** Makes the oldest queued deliveries of an endpoint pending, or held behind others, on behalf of no caller. */
    promote(endpointId: WebhookEndpointId): Promise<void> {
      return database.transaction(async (trx) => {
        const ordering = await lockReady(trx, endpointId)
        if (ordering === undefined) return
        const { numAffectedRows } = await promoteOldest(endpointId, ordering).execute(trx)
        await countPromoted(trx, endpointId, Number(numAffectedRows))
      })
    },

    ...createReplayCandidateStore(database),
  }

  function selectEvents(
    trx: Transaction,
    { endpointId, workspaceId, types, definitionIds }: WebhookEndpoint,
    { eventIds, range, isDeliveredIncluded }: ReplaySelection,
  ) {
    const open: DeliveryState[] = ['queued', 'pending', 'held']
    const excluded: DeliveryState[] = isDeliveredIncluded ? open : [...open, 'delivered']
    const time = sql<number>`cast(${now()} as bigint)`
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
      .select([time.as('created_at'), time.as('due_at')])
      .where('workspace_id', '=', workspaceId)
      .where('sequence', 'is not', null)
      .where(
        sql<SqlBool>`not exists (select 1 from deliveries as other
          where other.endpoint_id = ${endpointId} and other.sequence = events.sequence
          and other.state in (${sql.join(excluded)}))`,
      )
    if (eventIds !== undefined) query = query.where('event_id', 'in', eventIds)
    if (range === undefined) return query
    const { after, last, since, until } = range
    query = query.where('sequence', '>', after).where('at', '>=', since)
    if (last !== undefined) query = query.where('sequence', '<=', last)
    if (until !== undefined) query = query.where('at', '<', until)
    if (types !== null)
      query = query.where((where) => where.or(types.map((type) => matchesType(where, type))))
    return definitionIds === null ? query : query.where(getDefinitionId(), 'in', definitionIds)
  }

  /** The definition of an account, or the subject, which is one in events of definitions. */
  function getDefinitionId() {
    return database.dialect === 'postgres'
      ? sql<string>`coalesce(data::json #>> '{account,integrationDefinitionId}', subject)`
      : sql<string>`coalesce(data ->> '$.account.integrationDefinitionId', subject)`
  }

  /** Orders promotion, fan-out and settlement, so that none misses the rows of another. */
  async function lockReady(
    trx: Transaction,
    endpointId: WebhookEndpointId,
  ): Promise<string | undefined> {
    const query = trx
      .selectFrom('webhook_endpoints')
      .select('ordering')
      .where('endpoint_id', '=', endpointId)
      .where('queued', '>', 0)
      .where('pending', '<', MAX_PENDING)
      .where('state', '=', 'active')
      .where('deleted_at', 'is', null)
    const row = await (database.dialect === 'postgres'
      ? query.forNoKeyUpdate()
      : query
    ).executeTakeFirst()
    return row?.ordering
  }

  function promoteOldest(endpointId: WebhookEndpointId, ordering: string) {
    const isOpen = sql`open.endpoint_id = oldest.endpoint_id and open.subject = oldest.subject`
    const isBehind = sql`row_number() over (partition by subject order by sequence, round) > 1
      or exists (select 1 from deliveries open where ${isOpen} and open.state = 'pending'
        and open.attempts < ${sql.lit(BLOCKING_ATTEMPTS)})
      or exists (select 1 from deliveries open where ${isOpen} and open.state = 'held')`
    const state =
      ordering === 'account'
        ? sql`case when ${isBehind} then 'held' else 'pending' end`
        : sql`'pending'`
    // With a constant `endpoint_id`, SQLite would read all deliveries of the endpoint.
    return sql`
      update deliveries set state = promoted.next_state, due_at = ${clock.now()}
      from (
        select endpoint_id, sequence, round, ${state} as next_state from (
          select endpoint_id, sequence, round, subject from deliveries
          where endpoint_id = ${endpointId} and state = 'queued' order by sequence limit ${sql.lit(BATCH)}
        ) as oldest
      ) as promoted
      where deliveries.endpoint_id = promoted.endpoint_id
        and deliveries.sequence = promoted.sequence and deliveries.round = promoted.round`
  }

  /** Without queued deliveries the count was wrong: a workspace was erased, for instance. */
  async function countPromoted(
    trx: Transaction,
    endpointId: WebhookEndpointId,
    count: number,
  ): Promise<void> {
    const time = clock.now()
    const rest = sql<number>`case when queued > ${count} then queued - ${count} else 0 end`
    await trx
      .updateTable('webhook_endpoints')
      .set((eb) => ({
        queued: count === 0 ? 0 : rest,
        pending: eb('pending', '+', count),
        due_at: sql<number>`case when due_at < ${time} then due_at else ${time} end`,
      }))
      .where('endpoint_id', '=', endpointId)
      .execute()
  }
}

export type ReplayStore = ReturnType<typeof createReplayStore>

const BATCH = 64
const MAX_PENDING = 32

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

    /** The events of failed deliveries with sequence numbers above `after`, ascending; one for each of its rounds. */
    listFailed(
      access: WorkspaceAccess,
      { endpointId }: WebhookEndpoint,
      after: number,
      limit: number,
    ): Promise<{ readonly sequence: number; readonly eventId: EventId }[]> {
      return database.read
        .selectFrom('deliveries')
        .select(['sequence', 'event_id as eventId'])
        .where('endpoint_id', '=', endpointId)
        .where(sql<boolean>`state = 'failed'`)
        .where('sequence', '>', after)
        .where(isInAccessibleWorkspace(access, 'deliveries'))
        .orderBy('sequence')
        .limit(limit)
        .execute()
    },
  }
}

/** Makes queued deliveries pending, a few at a time, behind live events. Several nodes may do so on one database. */
export function startReplayPromotion({
  replays,
  log,
}: {
  readonly replays: ReplayStore
  readonly log: Pick<Log, 'warn'>
}): Rounds {
  return startRounds({
    async round(signal) {
      const ready = await replays.listReady(MAX_ENDPOINTS)
      for (const endpointId of ready) if (!signal.aborted) await replays.promote(endpointId)
      return ready.length > 0
    },
    onError: (error) => log.warn({ err: error }, 'replays of webhooks wait for the database'),
    pollMs: POLL_MS,
    pauseMs: PAUSE_MS,
  })
}

const POLL_MS = 500
const PAUSE_MS = 100
const MAX_ENDPOINTS = 100
