import { type Kysely, sql } from 'kysely'
import { workspaceNotAccessible } from '../../platform/errors.ts'
import type { CursorPosition } from '../../platform/http/pagination.ts'
import type { Database, Param } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import { isAfter } from '../../platform/storage/portable-sql.ts'
import type { Tables, WorkspaceRow } from '../../platform/storage/tables.ts'
import { type Caller, coversWorkspace, type WorkspaceAccess } from '../auth/caller.ts'
import { isInAccessibleWorkspace } from '../auth/workspace-access-store.ts'
import type { StoredSettings, Workspace, WorkspaceId } from './workspace.ts'

/** Workspaces that the caller can access. */
export function createWorkspaceStore(database: Database) {
  const preparedPage = database.prepare((db, param: Param<PageParams>) =>
    db
      .selectFrom('workspaces')
      .selectAll()
      .where('user_id', '=', param('userId'))
      .where('deleted_at', 'is', null)
      .where(
        isAfter(['created_at', 'workspace_id'], {
          createdAt: param('lastTime'),
          id: param('lastId'),
        }),
      )
      .orderBy('created_at')
      .orderBy('workspace_id')
      .limit(param('limit')),
  )
  const preparedFind = database.prepare(
    (db, param: Param<{ userId: Id<'usr'>; workspaceId: WorkspaceId }>) =>
      db
        .selectFrom('workspaces')
        .selectAll()
        .where('workspace_id', '=', param('workspaceId'))
        .where('user_id', '=', param('userId'))
        .where('deleted_at', 'is', null),
    { userId: 'text', workspaceId: 'text' },
  )
  const preparedOldest = database.prepare(
    (db, param: Param<{ userId: Id<'usr'> }>) =>
      db
        .selectFrom('workspaces')
        .selectAll()
        .where('user_id', '=', param('userId'))
        .where('deleted_at', 'is', null)
        .orderBy('created_at')
        .orderBy('workspace_id')
        .limit(1),
    { userId: 'text' },
  )
  return {
    /** The accessible workspaces, oldest first. Returns up to `limit + 1` of them. */
    async list(
      access: WorkspaceAccess,
      { limit, after }: { readonly limit: number; readonly after: CursorPosition | undefined },
    ): Promise<Workspace[]> {
      const { userId, boundWorkspaceId } = access
      if (boundWorkspaceId !== null) {
        const workspace = await this.find(access, boundWorkspaceId)
        return workspace === undefined || after !== undefined ? [] : [workspace]
      }
      const rows = await preparedPage.all({
        userId,
        lastTime: after?.createdAt ?? -1,
        lastId: (after?.id ?? '') as WorkspaceId,
        limit: limit + 1,
      })
      return rows.map(toWorkspace)
    },

    async find(access: WorkspaceAccess, workspaceId: WorkspaceId): Promise<Workspace | undefined> {
      if (!coversWorkspace(access, workspaceId)) return undefined
      const { userId } = access
      const row = await preparedFind.first({ userId, workspaceId })
      return row && toWorkspace(row)
    },

    /** What authorization servers show of a workspace, to anyone who has its ID. */
    async findPublic(
      workspaceId: WorkspaceId,
    ): Promise<Pick<Workspace, 'name' | 'settings'> | undefined> {
      const row = await database.read
        .selectFrom('workspaces')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      return row && toWorkspace(row)
    },

    /** A workspace in which people sign in, to anyone who has its ID. */
    async findWithSignIn(workspaceId: WorkspaceId): Promise<Workspace | undefined> {
      const row = await database.read
        .selectFrom('workspaces')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      const workspace = row && toWorkspace(row)
      return workspace?.settings.agents?.signInURL === undefined ? undefined : workspace
    },

    /** Workspaces in which people sign in, at most so many, from all users. */
    async listWithSignIn(limit: number): Promise<Workspace[]> {
      const rows = await database.read
        .selectFrom('workspaces')
        .selectAll()
        .where('deleted_at', 'is', null)
        // Of `agents`: in a text, the quotes would be escaped. The index has the same condition.
        .where('settings', 'like', sql.lit('%"signInURL":%'))
        .limit(limit)
        .execute()
      return rows.map(toWorkspace)
    },

    /** The oldest workspace of the user; if the token is bound to a workspace, that one. */
    async oldest({ userId, boundWorkspaceId }: WorkspaceAccess): Promise<Workspace | undefined> {
      const row =
        boundWorkspaceId === null
          ? await preparedOldest.first({ userId })
          : await preparedFind.first({ userId, workspaceId: boundWorkspaceId })
      return row && toWorkspace(row)
    },

    async insert(trx: Kysely<Tables>, workspace: Workspace): Promise<void> {
      await trx.insertInto('workspaces').values(toWorkspaceRow(workspace)).execute()
    },

    /** The updated workspace, or undefined if the caller cannot access it. */
    async update(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      { slug, name, settings, updatedAt }: WorkspaceUpdate,
    ): Promise<Workspace | undefined> {
      const row = await trx
        .updateTable('workspaces')
        .set({ slug, name, settings: JSON.stringify(settings), updated_at: updatedAt })
        .where('workspace_id', '=', workspaceId)
        .where(isInAccessibleWorkspace(access, 'workspaces'))
        .returningAll()
        .executeTakeFirst()
      return row && toWorkspace(row)
    },
  }
}

interface PageParams {
  readonly userId: Id<'usr'>
  readonly lastTime: number
  readonly lastId: WorkspaceId
  readonly limit: number
}

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>

/** A change of a workspace. An absent slug or name is unchanged. */
export interface WorkspaceUpdate {
  readonly slug?: string
  readonly name?: string
  readonly settings: StoredSettings
  readonly updatedAt: number
}

/** The workspace of a row. */
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

/** The row of a new workspace. */
export function toWorkspaceRow(workspace: Workspace): WorkspaceRow {
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

/**
 * Resolves the workspace of an operation: the requested one, otherwise the one that the token is bound to, otherwise
 * the user's oldest. The log line of the request names it.
 *
 * @throws ApiError `workspace_not_accessible`, whether the workspace exists or not
 */
export async function resolveWorkspace(
  workspaces: WorkspaceStore,
  access: WorkspaceAccess & Pick<Caller, 'addLogFields'>,
  workspaceId: WorkspaceId | null | undefined,
): Promise<WorkspaceId> {
  const workspace =
    workspaceId == null
      ? await workspaces.oldest(access)
      : await workspaces.find(access, workspaceId)
  if (workspace === undefined) throw workspaceNotAccessible()
  access.addLogFields?.({ workspaceId: workspace.workspaceId })
  return workspace.workspaceId
}

/**
 * Throws if a requested workspace is not accessible to the caller. For reads by id, where `undefined` does not
 * restrict the result.
 *
 * @throws ApiError `workspace_not_accessible`
 */
export async function assertWorkspaceAccessible(
  workspaces: WorkspaceStore,
  access: WorkspaceAccess,
  workspaceId: WorkspaceId | undefined,
): Promise<void> {
  if (workspaceId !== undefined) await resolveWorkspace(workspaces, access, workspaceId)
}
