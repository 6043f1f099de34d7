import { coversWorkspace, type WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isOwnedWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Pagination } from '../../platform/http/pagination.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Param } from '../../platform/storage/prepared-query.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import type { OAuthApp, OAuthAppId } from './oauth-app.ts'
import { toOAuthApp } from './oauth-app-row-store.ts'

/** An app without its sealed secret, the origins that the secret is bound to, and the state of its client. */
export type PublicOAuthApp = Omit<OAuthApp, 'sealedSecret' | 'secretOrigins' | 'failingSince'>

/** Filters the apps of a workspace. */
export interface OAuthAppListFilter {
  readonly workspaceId: WorkspaceId
  readonly definitionId?: DefinitionId | undefined
}

/** Lists of OAuth apps of the workspaces that the caller can access. */
export function createOAuthAppLists(database: Database) {
  const preparedOfWorkspace = database.prepare(
    (db, param: Param<{ workspaceId: WorkspaceId; userId: UserId }>) =>
      db
        .selectFrom('oauth_apps')
        .selectAll()
        .where('workspace_id', '=', param('workspaceId'))
        .where(isOwnedWorkspace(param('userId'), param('workspaceId'))),
  )
  return {
    /** The scopes of the workspace's apps, by the definitions for which there is one. */
    async listScopesByDefinition(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
    ): Promise<ReadonlyMap<string, readonly string[]>> {
      if (!coversWorkspace(access, workspaceId)) return new Map()
      const rows = await preparedOfWorkspace.all({ workspaceId, userId: access.userId })
      const apps = rows.map(toOAuthApp)
      return new Map(apps.map(({ definitionId, scopes }) => [definitionId, scopes]))
    },

    /** Lists apps without secrets, oldest first. Returns up to `limit` + 1 apps, to detect whether there is a next page. */
    async list(
      access: WorkspaceAccess,
      filter: OAuthAppListFilter,
      page: Pagination,
    ): Promise<PublicOAuthApp[]> {
      let query = database.read
        .selectFrom('oauth_apps')
        .selectAll()
        .where('workspace_id', '=', filter.workspaceId)
        .where(isAccessibleWorkspace(access, filter.workspaceId))
        .orderBy('created_at')
        .orderBy('oauth_app_id')
      if (filter.definitionId !== undefined)
        query = query.where('definition_id', '=', filter.definitionId)
      if (page.after !== undefined) {
        const { createdAt, id } = page.after
        query = query.where((eb) =>
          eb(eb.refTuple('created_at', 'oauth_app_id'), '>', eb.tuple(createdAt, id as OAuthAppId)),
        )
      }
      const limited = page.limit === undefined ? query : query.limit(page.limit + 1)
      const rows = await limited.execute()
      return rows.map(toOAuthApp)
    },
  }
}
