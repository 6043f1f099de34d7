import { sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import { splitIntoChunks } from '../../platform/storage/split-into-chunks.ts'
import type { EventId } from '../events/event.ts'
import type { WebhookEndpoint } from './webhook-endpoint.ts'

/** Reads which events a replay can queue. */
export function createReplayCandidateStore(database: Database) {
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
