import type { Kysely } from 'kysely'
import type { Reach } from '../caller/caller.ts'
import type { Database } from '../storage/database.ts'
import type { Tables, WorkspaceRow } from '../storage/tables.ts'

/** A statement's builder over tables that carry `workspace_id`, narrowed to what the caller reaches. */
export function reachable(db: Kysely<Tables>, reach: Reach) {
  const mine = db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('user_id', '=', reach.userId)
    .where('deleted_at', 'is', null)
  return reach.boundTo === null ? mine : mine.where('workspace_id', '=', reach.boundTo)
}

/** Workspaces of the caller. */
export function createWorkspaceStore(database: Database) {
  const list = (db: Kysely<Tables>, reach: Reach) =>
    db
      .selectFrom('workspaces')
      .selectAll()
      .where('workspace_id', 'in', reachable(db, reach))
      .orderBy('created_at')
      .orderBy('workspace_id')
  return {
    /** All that the caller reaches, oldest first. */
    list: (reach: Reach): Promise<WorkspaceRow[]> => list(database.read, reach).execute(),

    find: (reach: Reach, workspaceId: string): Promise<WorkspaceRow | undefined> =>
      list(database.read, reach).where('workspace_id', '=', workspaceId).executeTakeFirst(),

    oldest: (reach: Reach): Promise<WorkspaceRow | undefined> =>
      list(database.read, reach).limit(1).executeTakeFirst(),

    async insert(trx: Kysely<Tables>, row: WorkspaceRow): Promise<void> {
      await trx.insertInto('workspaces').values(row).execute()
    },

    /** The new row, or undefined when the caller does not reach it. */
    update: (
      trx: Kysely<Tables>,
      reach: Reach,
      workspaceId: string,
      change: Partial<WorkspaceRow>,
    ): Promise<WorkspaceRow | undefined> =>
      trx
        .updateTable('workspaces')
        .set(change)
        .where('workspace_id', '=', workspaceId)
        .where('workspace_id', 'in', reachable(trx, reach))
        .returningAll()
        .executeTakeFirst(),
  }
}

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>
