import { coversWorkspace, type WorkspaceAccess } from '../auth/caller.ts'
import { isOwnedWorkspace } from '../auth/workspace-access-store.ts'
import type { Database } from '../storage/database.ts'
import { CATALOGUE_WORKSPACE_ID } from '../storage/id.ts'
import type { Param } from '../storage/prepared-query.ts'
import type { UserId } from '../users/user.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { DefinitionId } from './definition.ts'

/** Finds the live definition with a key in a workspace: its own, else that of the catalogue. */
export type FindDefinitionIdByKey = (
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
  key: string,
) => Promise<DefinitionId | undefined>

/** Creates such a function. */
export function createFindDefinitionIdByKey(database: Database): FindDefinitionIdByKey {
  const prepared = database.prepare(
    (db, param: Param<FindByKeyParams>) =>
      db
        .selectFrom('definitions')
        .select(['definition_id', 'workspace_id'])
        .where('workspace_id', 'in', [param('workspaceId'), CATALOGUE_WORKSPACE_ID])
        .where('key', '=', param('key'))
        .where('deleted_at', 'is', null)
        .where(isOwnedWorkspace(param('userId'), param('workspaceId'))),
    { key: 'text', workspaceId: 'text', userId: 'text' },
  )
  return async (access, workspaceId, key) => {
    if (!KEY.test(key) || !coversWorkspace(access, workspaceId)) return undefined
    const rows = await prepared.all({ key, workspaceId, userId: access.userId })
    const own = rows.find((row) => row.workspace_id === workspaceId)
    return (own ?? rows[0])?.definition_id
  }
}

interface FindByKeyParams {
  readonly key: string
  readonly workspaceId: WorkspaceId
  readonly userId: UserId
}

const KEY = /^[\w.-]{1,255}$/
