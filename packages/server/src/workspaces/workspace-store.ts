import type { Expression, Kysely } from 'kysely'
import type { AccessScope } from '../auth/caller.ts'
import type { Database } from '../storage/database.ts'
import type { Tables, WorkspaceRow } from '../storage/tables.ts'
import type { StoredSettings, Workspace } from './workspace.ts'

/**
 * A subquery for the ids of the workspaces that the caller can access. Use it in the WHERE clause of every statement
 * on a table with `workspace_id`.
 */
export function visibleWorkspaceIds(db: Kysely<Tables>, accessScope: AccessScope) {
  const owned = ownedWorkspaceIds(db, accessScope.userId)
  return accessScope.boundWorkspaceId === null
    ? owned
    : owned.where('workspace_id', '=', accessScope.boundWorkspaceId)
}

/**
 * The same for prepared queries, whose SQL is the same for all callers: the workspaces of the user. Check the workspace with
 * `isInScope`, too.
 */
export function ownedWorkspaceIds(db: Kysely<Tables>, userId: string | Expression<string>) {
  return db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
}

/** Whether the token is bound to no other workspace. */
export function isInScope({ boundWorkspaceId }: AccessScope, workspaceId: string): boolean {
  return boundWorkspaceId === null || boundWorkspaceId === workspaceId
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
    async list(accessScope: AccessScope): Promise<Workspace[]> {
      const rows = await list(database.read, accessScope).execute()
      return rows.map(toWorkspace)
    },

    async find(accessScope: AccessScope, workspaceId: string): Promise<Workspace | undefined> {
      const row = await list(database.read, accessScope)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst()
      return row && toWorkspace(row)
    },

    async oldest(accessScope: AccessScope): Promise<Workspace | undefined> {
      const row = await list(database.read, accessScope).limit(1).executeTakeFirst()
      return row && toWorkspace(row)
    },

    async insert(trx: Kysely<Tables>, workspace: Workspace): Promise<void> {
      await trx.insertInto('workspaces').values(toRow(workspace)).execute()
    },

    /** The updated workspace, or undefined if the caller cannot access it. */
    async update(
      trx: Kysely<Tables>,
      accessScope: AccessScope,
      workspaceId: string,
      { slug, name, settings, updatedAt }: WorkspaceUpdate,
    ): Promise<Workspace | undefined> {
      const row = await trx
        .updateTable('workspaces')
        .set({
          ...(slug === undefined ? {} : { slug }),
          ...(name === undefined ? {} : { name }),
          settings: JSON.stringify(settings),
          updated_at: updatedAt,
        })
        .where('workspace_id', '=', workspaceId)
        .where('workspace_id', 'in', visibleWorkspaceIds(trx, accessScope))
        .returningAll()
        .executeTakeFirst()
      return row && toWorkspace(row)
    },
  }
}

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>

/** A change of a workspace. An absent slug or name is unchanged. */
export interface WorkspaceUpdate {
  readonly slug?: string
  readonly name?: string
  readonly settings: StoredSettings
  readonly updatedAt: number
}

/** The workspace of a row, for stores that read it through other tables. */
export function toWorkspace(row: WorkspaceRow): Workspace {
  return {
    workspaceId: row.workspace_id,
    userId: row.user_id,
    slug: row.slug,
    name: row.name,
    settings: JSON.parse(row.settings) as StoredSettings,
    initialSetupComplete: row.initial_setup_complete === 1,
    anonymousDataCollection: row.anonymous_data_collection === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  }
}

function toRow(workspace: Workspace): WorkspaceRow {
  return {
    workspace_id: workspace.workspaceId,
    user_id: workspace.userId,
    slug: workspace.slug,
    name: workspace.name,
    settings: JSON.stringify(workspace.settings),
    initial_setup_complete: workspace.initialSetupComplete ? 1 : 0,
    anonymous_data_collection: workspace.anonymousDataCollection ? 1 : 0,
    created_at: workspace.createdAt,
    updated_at: workspace.updatedAt,
    deleted_at: workspace.deletedAt,
  }
}
