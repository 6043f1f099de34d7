import type { Kysely } from 'kysely'
import type { AccessScope } from '../auth/caller.ts'
import type { Pagination } from '../http/pagination.ts'
import type { Database } from '../storage/database.ts'
import type { OAuthAppRow, Tables } from '../storage/tables.ts'
import { visibleWorkspaceIds } from '../workspaces/workspace-store.ts'
import { OAUTH_APP_RESPONSE_COLUMNS, type OAuthAppResponseRow } from './serialize-oauth-app.ts'

/** Which apps of a workspace. */
export interface OAuthAppListFilter {
  readonly workspaceId: string
  readonly definitionId?: string | undefined
}

/** OAuth apps of the workspaces that the caller reaches. */
export function createOAuthAppStore(database: Database) {
  return {
    /** The whole row, sealed secret included. */
    find: (
      db: Kysely<Tables>,
      accessScope: AccessScope,
      appId: string,
    ): Promise<OAuthAppRow | undefined> =>
      db
        .selectFrom('oauth_apps')
        .selectAll()
        .where('oauth_app_id', '=', appId)
        .where('workspace_id', 'in', visibleWorkspaceIds(db, accessScope))
        .executeTakeFirst(),

    /** The app of this workspace for a definition: there is one at most. */
    findForDefinition: (
      db: Kysely<Tables>,
      accessScope: AccessScope,
      workspaceId: string,
      definitionId: string,
    ): Promise<OAuthAppRow | undefined> =>
      db
        .selectFrom('oauth_apps')
        .selectAll()
        .where('definition_id', '=', definitionId)
        .where('workspace_id', '=', workspaceId)
        .where('workspace_id', 'in', visibleWorkspaceIds(db, accessScope))
        .executeTakeFirst(),

    /** For work that no caller asked for, such as renewal: the app of an account, in the account's own workspace. */
    findInWorkspace: (
      db: Kysely<Tables>,
      workspaceId: string,
      appId: string,
    ): Promise<OAuthAppRow | undefined> =>
      db
        .selectFrom('oauth_apps')
        .selectAll()
        .where('oauth_app_id', '=', appId)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst(),

    /** For such work too: the workspace's own app for a definition. */
    findInWorkspaceByDefinition: (
      db: Kysely<Tables>,
      workspaceId: string,
      definitionId: string,
    ): Promise<OAuthAppRow | undefined> =>
      db
        .selectFrom('oauth_apps')
        .selectAll()
        .where('definition_id', '=', definitionId)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst(),

    /** Oldest first, without secrets. One more than `limit`, so that the caller sees whether there is a next page. */
    list(
      accessScope: AccessScope,
      filter: OAuthAppListFilter,
      page: Pagination,
    ): Promise<OAuthAppResponseRow[]> {
      let query = database.read
        .selectFrom('oauth_apps')
        .select(OAUTH_APP_RESPONSE_COLUMNS)
        .where('workspace_id', '=', filter.workspaceId)
        .where('workspace_id', 'in', visibleWorkspaceIds(database.read, accessScope))
        .orderBy('created_at')
        .orderBy('oauth_app_id')
      if (filter.definitionId !== undefined)
        query = query.where('definition_id', '=', filter.definitionId)
      if (page.after !== undefined) {
        const { createdAt, id } = page.after
        query = query.where((eb) =>
          eb(eb.refTuple('created_at', 'oauth_app_id'), '>', eb.tuple(createdAt, id)),
        )
      }
      return (page.limit === undefined ? query : query.limit(page.limit + 1)).execute()
    },

    async insert(trx: Kysely<Tables>, row: OAuthAppRow): Promise<void> {
      await trx.insertInto('oauth_apps').values(row).execute()
    },

    /** The new row, or undefined when it is gone. */
    update: (
      trx: Kysely<Tables>,
      accessScope: AccessScope,
      appId: string,
      change: Partial<OAuthAppRow>,
    ): Promise<OAuthAppRow | undefined> =>
      trx
        .updateTable('oauth_apps')
        .set(change)
        .where('oauth_app_id', '=', appId)
        .where('workspace_id', 'in', visibleWorkspaceIds(trx, accessScope))
        .returningAll()
        .executeTakeFirst(),

    /** Erases it for good; answers what was there. */
    remove: (
      trx: Kysely<Tables>,
      accessScope: AccessScope,
      appId: string,
    ): Promise<OAuthAppRow | undefined> =>
      trx
        .deleteFrom('oauth_apps')
        .where('oauth_app_id', '=', appId)
        .where('workspace_id', 'in', visibleWorkspaceIds(trx, accessScope))
        .returningAll()
        .executeTakeFirst(),

    /** Whether live accounts were connected with it. */
    async isInUse(trx: Kysely<Tables>, accessScope: AccessScope, appId: string): Promise<boolean> {
      const row = await trx
        .selectFrom('accounts')
        .select('account_id')
        .where('oauth_app_id', '=', appId)
        .where('workspace_id', 'in', visibleWorkspaceIds(trx, accessScope))
        .where('deleted_at', 'is', null)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

export type OAuthAppStore = ReturnType<typeof createOAuthAppStore>
