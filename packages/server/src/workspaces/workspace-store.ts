import type { Kysely } from 'kysely'
import type { AccessScope } from '../auth/caller.ts'
import type { Database } from '../storage/database.ts'
import type { Tables, WorkspaceRow } from '../storage/tables.ts'

/**
 * A subquery for the ids of the workspaces that the caller can access. Use it in the WHERE clause of every statement
 * on a table with `workspace_id`.
 */
export function visibleWorkspaceIds(db: Kysely<Tables>, accessScope: AccessScope) {
  const owned = db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('user_id', '=', accessScope.userId)
    .where('deleted_at', 'is', null)
  return accessScope.boundWorkspaceId === null
    ? owned
    : owned.where('workspace_id', '=', accessScope.boundWorkspaceId)
}

/** Workspaces that the caller can access. */
export function createWorkspaceStore(database: Database) {
  const list = (db: Kysely<Tables>, accessScope: AccessScope) =>
    db
      .selectFrom('workspaces')
      .selectAll()
      .where('workspace_id', 'in', visibleWorkspaceIds(db, accessScope))
      .orderBy('created_at')
      .orderBy('workspace_id')
  return {
    /** All accessible workspaces, oldest first. */
    list: (accessScope: AccessScope): Promise<WorkspaceRow[]> =>
      list(database.read, accessScope).execute(),

    find: (accessScope: AccessScope, workspaceId: string): Promise<WorkspaceRow | undefined> =>
      list(database.read, accessScope).where('workspace_id', '=', workspaceId).executeTakeFirst(),

    oldest: (accessScope: AccessScope): Promise<WorkspaceRow | undefined> =>
      list(database.read, accessScope).limit(1).executeTakeFirst(),

    async insert(trx: Kysely<Tables>, row: WorkspaceRow): Promise<void> {
      await trx.insertInto('workspaces').values(row).execute()
    },

    /** The updated row, or undefined if the caller cannot access it. */
    update: (
      trx: Kysely<Tables>,
      accessScope: AccessScope,
      workspaceId: string,
      change: Partial<WorkspaceRow>,
    ): Promise<WorkspaceRow | undefined> =>
      trx
        .updateTable('workspaces')
        .set(change)
        .where('workspace_id', '=', workspaceId)
        .where('workspace_id', 'in', visibleWorkspaceIds(trx, accessScope))
        .returningAll()
        .executeTakeFirst(),
  }
}

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>
