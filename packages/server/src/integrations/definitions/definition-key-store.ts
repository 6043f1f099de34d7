import { coversWorkspace, type WorkspaceAccess } from '../../access/auth/caller.ts'
import { isOwnedWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Database } from '../../platform/storage/database.ts'
import { CATALOGUE_WORKSPACE_ID } from '../../platform/storage/id.ts'
import type { Param } from '../../platform/storage/prepared-query.ts'
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
