import { sql } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
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

/** Returns the receiver of a workspace's events, which no other transaction changes until this one ends, if there is one. */
export type FindEventSink = (
  trx: Transaction,
  workspaceId: WorkspaceId,
) => Promise<EventSink | undefined>

/** The numbers of events, which they get after their commit. Numbered events are passed to their sink. */
export function createNumberStore(database: Database, findSink: FindEventSink) {
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
      // In the order of ids: no deadlocks.
      const sorted = workspaceIds.toSorted()
      return database.transaction(async (trx) => {
        let hasMore = false
        for (const workspaceId of sorted)
          if (await numberWorkspace(trx, workspaceId, limit)) hasMore = true
        return hasMore
      })
    },
  }

  async function numberWorkspace(
    trx: Transaction,
    workspaceId: WorkspaceId,
    limit: number,
  ): Promise<boolean> {
    const { last } = await trx
      .insertInto('event_sequences')
      .values({ workspace_id: workspaceId, last: 0, oldest: 1 })
      .onConflict((conflict) =>
        conflict.column('workspace_id').doUpdateSet({ last: sql`event_sequences.last` }),
      )
      .returning('last')
      .executeTakeFirstOrThrow()
    const sink = await findSink(trx, workspaceId)
    const batchSize = Math.min(limit, sink?.maxEvents ?? limit)
    const numbered = await assignNumbers(trx, workspaceId, last, batchSize)
    await trx
      .updateTable('event_sequences')
      .set({ last: last + numbered.length })
      .where('workspace_id', '=', workspaceId)
      .execute()
    if (numbered.length > 0)
      await sink?.accept(numbered.toSorted((one, other) => one.sequence - other.sequence))
    return numbered.length === batchSize
  }

  async function assignNumbers(
    trx: Transaction,
    workspaceId: WorkspaceId,
    last: number,
    limit: number,
  ): Promise<NumberedEvent[]> {
    const batch = trx
      .selectFrom('events')
      .select('position')
      .where('workspace_id', '=', workspaceId)
      .where('sequence', 'is', null)
      .orderBy('position')
      .limit(limit)
    const numbered = trx
      .selectFrom(batch.as('batch'))
      .select('position')
      .select(sql<number>`row_number() over (order by position)`.as('offset'))
    const definitionId =
      database.dialect === 'postgres'
        ? sql<string | null>`events.data::json #>> '{account,integrationDefinitionId}'`
        : sql<string | null>`events.data ->> '$.account.integrationDefinitionId'`
    const rows = await trx
      .updateTable('events')
      .from(numbered.as('numbered'))
      .set({ sequence: sql<number>`${last} + numbered."offset"` })
      .whereRef('events.position', '=', 'numbered.position')
      .returning(['events.sequence', 'events.event_id', 'events.type', 'events.subject'])
      .returning(definitionId.as('definition_id'))
      .execute()
    return rows.map((row) => ({
      sequence: Number(row.sequence),
      eventId: row.event_id,
      type: row.type as EventType,
      subject: row.subject,
      accountDefinitionId: row.definition_id,
    }))
  }
}
