import { sql } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { jsonRows } from '../../platform/storage/portable-sql.ts'
import type { EventId } from './event.ts'

/** An event that has just been numbered, as far as it determines who receives it. */
export interface NumberedEvent {
  readonly sequence: number
  readonly eventId: EventId
  readonly type: EventType
  readonly subject: string
  /** The definition of the account; null if the event is not about an account. */
  readonly accountDefinitionId: string | null
}

/** Passes on the events of one workspace. */
export interface EventSink {
  /** The most events that one transaction may number. */
  readonly maxEvents: number
  /** Called in the transaction that numbers them, with the events in their order. */
  accept(events: readonly NumberedEvent[]): Promise<void>
}

/** Returns the receivers of these workspaces' events, which no other transaction changes until this one ends. Most have none. */
export type FindEventSinks = (
  trx: Transaction,
  workspaceIds: readonly WorkspaceId[],
) => Promise<ReadonlyMap<WorkspaceId, EventSink>>

/** The numbers of events, which they get after their commit. Numbered events are passed to their sink. */
export function createNumberStore(database: Database, findSinks: FindEventSinks) {
  return {
    /** Workspaces with events that are not numbered yet. */
    async listUnnumbered(limit: number): Promise<WorkspaceId[]> {
      const rows = await database.read
        .selectFrom('events')
        .select('workspace_id')
        .distinct()
        .where('sequence', 'is', null)
        .limit(limit)
        .execute()
      return rows.map((row) => row.workspace_id)
    },

    /**
     * Numbers at most `limit` events of each of these workspaces in one transaction, in the order of their insertion, and returns
     * whether there may be more. The row of each workspace stays locked until the commit, so a reader that sees a number sees
     * all smaller ones.
     */
    number(workspaceIds: readonly WorkspaceId[], limit: number): Promise<boolean> {
      return database.transaction(async (trx) => {
        const sequences = await lockSequences(trx, workspaceIds)
        const sinks = await findSinks(trx, workspaceIds)
        const batches = sequences.map(({ workspace_id, last }) => ({
          workspace_id,
          last,
          size: Math.min(limit, sinks.get(workspace_id)?.maxEvents ?? limit),
        }))
        const numbered = await assignNumbers(trx, batches)
        await storeLast(trx, numbered)
        for (const [workspaceId, events] of numbered) await sinks.get(workspaceId)?.accept(events)
        return batches.some(({ workspace_id, size }) => numbered.get(workspace_id)?.length === size)
      })
    },
  }

  /** In the order of ids: no deadlocks. */
  async function lockSequences(
    trx: Transaction,
    workspaceIds: readonly WorkspaceId[],
  ): Promise<EventSequence[]> {
    const ids = workspaceIds.toSorted().map((workspace_id) => ({ workspace_id }))
    const { rows } = await sql<EventSequence>`
      insert into event_sequences (workspace_id, last, oldest)
      select workspace_id, 0, 1 from ${jsonRows(database, { workspace_id: 'text' }, ids, 'locked')} where true
      on conflict (workspace_id) do update set last = event_sequences.last
      returning workspace_id, last`.execute(trx)
    return rows.map(({ workspace_id, last }) => ({ workspace_id, last: Number(last) }))
  }

  async function storeLast(trx: Transaction, numbered: NumberedEvents): Promise<void> {
    const types = { workspace_id: 'text', last: 'bigint' } as const
    const rows = [...numbered].map(([workspace_id, events]) => ({
      workspace_id,
      last: events.at(-1)?.sequence,
    }))
    await sql`update event_sequences set last = grown.last
      from ${jsonRows(database, types, rows, 'grown')}
      where event_sequences.workspace_id = grown.workspace_id`.execute(trx)
  }

  /** In one statement, which has a part for each workspace: a workspace with many events is read no further than its limit. */
  async function assignNumbers(
    trx: Transaction,
    batches: readonly (EventSequence & { readonly size: number })[],
  ): Promise<NumberedEvents> {
    const parts = batches.map(
      ({ workspace_id, last, size }) => sql`select * from (
        select position, workspace_id, cast(${last} as bigint) as last from events
        where workspace_id = ${workspace_id} and sequence is null order by position limit ${size}) as part`,
    )
    const definitionId =
      database.dialect === 'postgres'
        ? sql`events.data::json #>> '{account,integrationDefinitionId}'`
        : sql`events.data ->> '$.account.integrationDefinitionId'`
    const { rows } = await sql<NumberedRow>`
      update events set sequence = numbered.sequence
      from (
        select position, last + row_number() over (partition by workspace_id order by position) as sequence
        from (${sql.join(parts, sql` union all `)}) as batch
      ) as numbered
      where events.position = numbered.position
      returning events.workspace_id, events.sequence, events.event_id, events.type, events.subject,
        ${definitionId} as definition_id`.execute(trx)
    const events = rows.map(toNumberedEvent).sort((one, other) => one.sequence - other.sequence)
    return Map.groupBy(events, ({ workspaceId }) => workspaceId)
  }
}

/** The last number of a workspace's events. */
interface EventSequence {
  readonly workspace_id: WorkspaceId
  readonly last: number
}

/** The events that were numbered, of each workspace in their order. */
type NumberedEvents = ReadonlyMap<WorkspaceId, readonly NumberedEvent[]>

interface NumberedRow {
  readonly workspace_id: WorkspaceId
  readonly sequence: number
  readonly event_id: EventId
  readonly type: EventType
  readonly subject: string
  readonly definition_id: string | null
}

function toNumberedEvent(row: NumberedRow): NumberedEvent & { readonly workspaceId: WorkspaceId } {
  return {
    workspaceId: row.workspace_id,
    sequence: Number(row.sequence),
    eventId: row.event_id,
    type: row.type,
    subject: row.subject,
    accountDefinitionId: row.definition_id,
  }
}
