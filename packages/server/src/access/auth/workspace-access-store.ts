import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Id } from '../../platform/storage/id.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { WorkspaceAccess } from './caller.ts'

/** The tables whose rows belong to a workspace. */
type OwnedTable = {
  [T in keyof Tables & string]: 'workspace_id' extends keyof Tables[T] ? T : never
}[keyof Tables & string]

/**
 * Whether the caller can access the workspace of a row: part of the WHERE clause of every statement on behalf of a
 * caller. Reads one workspace per row, however many the caller has.
 */
export function isInAccessibleWorkspace(
  access: WorkspaceAccess,
  table: OwnedTable,
): RawBuilder<SqlBool> {
  return isAccessible(access, sql.ref(`${table}.workspace_id`))
}

/** As {@link isInAccessibleWorkspace}, for rows that are selected by their workspace: checked once per statement. */
export function isAccessibleWorkspace(
  access: WorkspaceAccess,
  workspaceId: Id<'wsp'>,
): RawBuilder<SqlBool> {
  return isAccessible(access, sql.val(workspaceId))
}

function isAccessible(
  { userId, boundWorkspaceId }: WorkspaceAccess,
  workspaceId: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  const isBound =
    boundWorkspaceId === null ? sql`` : sql` and accessible.workspace_id = ${boundWorkspaceId}`
  return isOwned(sql.val(userId), workspaceId, isBound)
}

/**
 * The same for prepared queries, whose SQL is the same for all callers: whether the user owns the workspace. Check the
 * workspace with `coversWorkspace`, too.
 */
export function isOwnedWorkspace(
  userId: Expression<string>,
  workspaceId: Expression<string>,
): RawBuilder<SqlBool> {
  return isOwned(userId, workspaceId)
}

function isOwned(
  userId: Expression<string>,
  workspaceId: Expression<unknown>,
  condition: RawBuilder<unknown> = sql``,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from workspaces as accessible where accessible.workspace_id = ${workspaceId} and accessible.user_id = ${userId} and accessible.deleted_at is null${condition})`
}
