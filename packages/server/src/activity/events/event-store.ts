import { sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Log } from '../../platform/http/log.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import { type Rounds, startRounds } from '../../platform/rounds.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { EventRow } from '../../platform/storage/tables.ts'
import type { EventId, PublishedEvent } from './event.ts'
import { createNumberStore, type FindEventSinks } from './number-store.ts'

/** Which events to list. Absent members do not restrict the list. */
export interface EventFilter {
  /** Types such as `account.created`, and prefixes such as `account.*`. */
  readonly types?: readonly string[]
  readonly subject?: string
  readonly accountIdentifier?: string
}

/** The sequence numbers to read. */
interface EventRange {
  readonly after: number
  readonly until: number
  readonly limit: number
  readonly order?: 'asc' | 'desc'
}

/** The numbers of a workspace's events that are retained; `last` is `oldest - 1` when there are none. */
export interface SequenceRange {
  readonly oldest: number
  readonly last: number
}

/** The events of the workspaces that the caller can access. Those that it numbers are passed to their sink. */
export function createEventStore(
  database: Database,
  findSinks: FindEventSinks = async () => new Map(),
) {
  return {
    ...createNumberStore(database, findSinks),

    async getRange(access: WorkspaceAccess, workspaceId: WorkspaceId): Promise<SequenceRange> {
      const row = await database.read
        .selectFrom('event_sequences')
        .select(['oldest', 'last'])
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .executeTakeFirst()
      return row ?? { oldest: 1, last: 0 }
    },

    /** At most `limit` events with sequence numbers above `after` and up to `until`, in their order or the reverse one. */
    async list(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      { after, until, limit, order = 'asc' }: EventRange,
      { types, subject, accountIdentifier }: EventFilter,
    ): Promise<PublishedEvent[]> {
      let query = database.read
        .selectFrom('events')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('sequence', '>', after)
        .where('sequence', '<=', until)
      if (subject !== undefined) query = query.where('subject', '=', subject)
      if (accountIdentifier !== undefined)
        query = query.where('account_identifier', '=', accountIdentifier)
      if (types !== undefined)
        query = query.where((eb) =>
          eb.or(
            types.map((type) =>
              type.endsWith('*')
                ? eb.and([
                    eb('type', '>=', type.slice(0, -1)),
                    eb('type', '<', type.replace('.*', '/')),
                  ])
                : eb('type', '=', type),
            ),
          ),
        )
      return (await query.orderBy('sequence', order).limit(limit).execute()).map(toPublishedEvent)
    },

    async find(access: WorkspaceAccess, eventId: EventId): Promise<PublishedEvent | undefined> {
      const row = await database.read
        .selectFrom('events')
        .selectAll()
        .where('event_id', '=', eventId)
        .where('sequence', 'is not', null)
        .where(isInAccessibleWorkspace(access, 'events'))
        .executeTakeFirst()
      return row && toPublishedEvent(row)
    },

    /** The last sequence number of each of these workspaces that has events. */
    async listLast(workspaceIds: readonly WorkspaceId[]): Promise<Map<WorkspaceId, number>> {
      const rows = await database.read
        .selectFrom('event_sequences')
        .select(['workspace_id', 'last'])
        .where('workspace_id', 'in', workspaceIds)
        .execute()
      return new Map(rows.map((row) => [row.workspace_id, row.last]))
    },

    /**
     * Deletes events from before `before`, in epoch milliseconds, and returns how many. Reads at most the `limit` oldest
     * rows, and none while the oldest are younger.
     */
    deleteOld(before: number, limit: number): Promise<number> {
      return database.transaction(async (trx) => {
        const oldest = trx
          .selectFrom('events')
          .select(['position', 'at', 'sequence'])
          .orderBy('position')
          .limit(limit)
        const deleted = await trx
          .deleteFrom('events')
          .where('position', 'in', (eb) =>
            eb
              .selectFrom(oldest.as('oldest'))
              .select('position')
              .where('at', '<', before)
              .where('sequence', 'is not', null),
          )
          .returning(['workspace_id', 'sequence'])
          .execute()
        const byWorkspace = Map.groupBy(deleted, (row) => row.workspace_id)
        // In the order in which numbering locks them.
        for (const workspaceId of [...byWorkspace.keys()].sort()) {
          const rows = byWorkspace.get(workspaceId) ?? []
          const next = Math.max(...rows.map((row) => Number(row.sequence))) + 1
          await trx
            .updateTable('event_sequences')
            .set({ oldest: next })
            .where('workspace_id', '=', workspaceId)
            .where('oldest', '<', next)
            .execute()
        }
        return deleted.length
      })
    },
  }
}

export type EventStore = ReturnType<typeof createEventStore>

/** The event of a numbered row. */
export function toPublishedEvent(row: Omit<EventRow, 'position'>): PublishedEvent {
  return {
    eventId: row.event_id,
    type: row.type as EventType,
    version: row.version,
    workspaceId: row.workspace_id,
    sequence: Number(row.sequence),
    at: row.at,
    subject: row.subject,
    accountIdentifier: row.account_identifier,
    cause: JSON.parse(row.cause),
    data: JSON.parse(row.data),
  }
}

/**
 * Returns a function that reads for how long the oldest event that readers and webhooks do not see yet has waited for its
 * number, in milliseconds; 0 if none waits. Of a longer queue, it reads `MAX_EVENTS` entries.
 *
 * @param now epoch milliseconds: the clock of the nodes, which stamps events
 */
export function createEventLagReader(database: Database, now: () => number): () => Promise<number> {
  return async () => {
    const { rows } = await sql<{ oldest: number | null }>`
      select min(at) as oldest from (select at from events
        where sequence is null limit ${sql.lit(MAX_EVENTS)}) as unnumbered`.execute(database.read)
    const oldest = rows[0]?.oldest ?? null
    return oldest === null ? 0 : Math.max(0, now() - Number(oldest))
  }
}

const MAX_EVENTS = 1_000

export interface EventNumberingDeps {
  readonly database: Pick<Database, 'onCommit'>
  readonly events: Pick<EventStore, 'listUnnumbered' | 'number'>
  /** Called with the workspaces whose events were numbered by this process. */
  readonly onNumbered: (workspaceIds: readonly WorkspaceId[]) => void
  readonly log: Log
}

/**
 * Numbers events soon after each commit of this process, and every second those that other processes left. Several
 * processes may do so on one database.
 */
export function startEventNumbering({
  database,
  events,
  onNumbered,
  log,
}: EventNumberingDeps): Rounds {
  const round = async () => {
    const workspaceIds = await events.listUnnumbered(WORKSPACES)
    let hasMore = workspaceIds.length === WORKSPACES
    for (let start = 0; start < workspaceIds.length; start += TOGETHER) {
      const together = workspaceIds.slice(start, start + TOGETHER)
      if (await events.number(together, Math.ceil(BATCH / together.length))) hasMore = true
    }
    if (workspaceIds.length > 0) onNumbered(workspaceIds)
    return hasMore
  }
  return startRounds({
    round,
    onError: (error) => log.warn({ err: error }, 'events could not be numbered'),
    pollMs: POLL_MS,
    afterCommits: { database, delayMs: DELAY_MS, intervalMs: INTERVAL_MS },
  })
}

/** Commits within this time are numbered together, and under load those within the interval: a round costs as much as a write. */
const DELAY_MS = 10
const INTERVAL_MS = 100
const POLL_MS = 1_000
/** Events per transaction, of as many workspaces as share its commit. */
const BATCH = 200
const TOGETHER = 25
const WORKSPACES = 100
