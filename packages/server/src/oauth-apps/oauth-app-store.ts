import type { Kysely } from 'kysely'
import type { AccessScope } from '../auth/caller.ts'
import type { Pagination } from '../http/pagination.ts'
import type { Database } from '../storage/database.ts'
import type { OAuthAppRow, Tables } from '../storage/tables.ts'
import { visibleWorkspaceIds } from '../workspaces/workspace-store.ts'
import { OAUTH_APP_RESPONSE_COLUMNS, type OAuthAppResponseRow } from './serialize-oauth-app.ts'

/** Filters the apps of a workspace. */
export interface OAuthAppListFilter {
  readonly workspaceId: string
  readonly definitionId?: string | undefined
}

/** Stores OAuth apps. Methods with an access scope see only the workspaces within it. */
export function createOAuthAppStore(database: Database) {
  return {
    /** The whole row, including the sealed secret. */
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

    /** The app of a workspace for a definition; there is at most one. */
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

    /** The app of an account, in the account's workspace. For background work such as token refresh, which has no caller. */
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

    /** The workspace's app for a definition. For background work, which has no caller. */
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

    /** Lists apps without secrets, oldest first. Returns up to `limit` + 1 rows, to detect whether there is a next page. */
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

    /** Returns the updated row, or undefined if it no longer exists. */
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

    /** Deletes the row permanently and returns it. */
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

    /** Whether live accounts are connected with the app. */
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
