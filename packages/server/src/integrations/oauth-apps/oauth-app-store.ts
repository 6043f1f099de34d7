import type { Kysely } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
  isOwnedWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Pagination } from '../../platform/http/pagination.ts'
import type { Database, Param } from '../../platform/storage/database.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import type { AppScopes } from '../oauth/spec/scopes.ts'
import { OAUTH_APP, type OAuthApp, type OAuthAppId } from './oauth-app.ts'

/** Filters the apps of a workspace. */
export interface OAuthAppListFilter {
  readonly workspaceId: WorkspaceId
  readonly definitionId?: DefinitionId | undefined
}

/** The fields that an update may change. */
export type OAuthAppChange = Partial<
  Omit<OAuthApp, 'oauthAppId' | 'workspaceId' | 'definitionId' | 'failingSince' | 'createdAt'>
>

/** Stores OAuth apps. Methods that take `access` see only the workspaces that it covers. */
export function createOAuthAppStore(database: Database) {
  return {
    ...createOAuthAppLists(database),
    ...oauthAppClientStore,

    /** The whole app, including its sealed secret. */
    async find(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      appId: OAuthAppId,
    ): Promise<OAuthApp | undefined> {
      const row = await selectApps(db)
        .where('oauth_app_id', '=', appId)
        .where(isInAccessibleWorkspace(access, 'oauth_apps'))
        .executeTakeFirst()
      return row && OAUTH_APP.fromRow(row)
    },

    /** The app of a workspace for a definition; there is at most one. */
    async findForDefinition(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      definitionId: DefinitionId,
    ): Promise<OAuthApp | undefined> {
      const row = await selectApps(db)
        .where('definition_id', '=', definitionId)
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .executeTakeFirst()
      return row && OAUTH_APP.fromRow(row)
    },

    /** The app of an account, in the account's workspace. For background work such as token refresh, which has no caller. */
    async findInWorkspace(
      db: Kysely<Tables>,
      workspaceId: WorkspaceId,
      appId: OAuthAppId,
    ): Promise<OAuthApp | undefined> {
      const row = await selectApps(db)
        .where('oauth_app_id', '=', appId)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst()
      return row && OAUTH_APP.fromRow(row)
    },

    /** The workspace's app for a definition. For background work, which has no caller. */
    async findInWorkspaceByDefinition(
      db: Kysely<Tables>,
      workspaceId: WorkspaceId,
      definitionId: DefinitionId,
    ): Promise<OAuthApp | undefined> {
      const row = await selectApps(db)
        .where('definition_id', '=', definitionId)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst()
      return row && OAUTH_APP.fromRow(row)
    },

    async insert(trx: Kysely<Tables>, app: OAuthApp): Promise<void> {
      await trx.insertInto('oauth_apps').values(OAUTH_APP.toNewRow(app)).execute()
    },

    /** Returns the updated app, or undefined if it no longer exists. */
    async update(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      appId: OAuthAppId,
      change: OAuthAppChange,
    ): Promise<OAuthApp | undefined> {
      const row = await trx
        .updateTable('oauth_apps')
        .set(OAUTH_APP.toColumns(change))
        .where('oauth_app_id', '=', appId)
        .where(isInAccessibleWorkspace(access, 'oauth_apps'))
        .returningAll()
        .executeTakeFirst()
      return row && OAUTH_APP.fromRow(row)
    },

    /** Deletes the app permanently and returns its last state. */
    async remove(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      appId: OAuthAppId,
    ): Promise<OAuthApp | undefined> {
      const row = await trx
        .deleteFrom('oauth_apps')
        .where('oauth_app_id', '=', appId)
        .where(isInAccessibleWorkspace(access, 'oauth_apps'))
        .returningAll()
        .executeTakeFirst()
      return row && OAUTH_APP.fromRow(row)
    },

    /** Whether live accounts are connected with the app. */
    async isInUse(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      appId: OAuthAppId,
    ): Promise<boolean> {
      const row = await trx
        .selectFrom('accounts')
        .select('account_id')
        .where('oauth_app_id', '=', appId)
        .where(isInAccessibleWorkspace(access, 'accounts'))
        .where('deleted_at', 'is', null)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

export type OAuthAppStore = ReturnType<typeof createOAuthAppStore>

function selectApps(db: Kysely<Tables>) {
  return db.selectFrom('oauth_apps').selectAll()
}

/** Whether the provider accepts the clients of OAuth apps. */
const oauthAppClientStore = {
  /** Marks an app as failing since `now`. Returns whether it was not. For background work, which has no caller. */
  async markFailing(trx: Kysely<Tables>, appId: OAuthAppId, now: number): Promise<boolean> {
    const row = await trx
      .updateTable('oauth_apps')
      .set({ failing_since: now })
      .where('oauth_app_id', '=', appId)
      .where('failing_since', 'is', null)
      .returning('oauth_app_id')
      .executeTakeFirst()
    return row !== undefined
  },

  /** Marks an app as no longer failing. Returns whether it was. For background work, which has no caller. */
  async markRecovered(trx: Kysely<Tables>, appId: OAuthAppId): Promise<boolean> {
    const row = await trx
      .updateTable('oauth_apps')
      .set({ failing_since: null })
      .where('oauth_app_id', '=', appId)
      .where('failing_since', 'is not', null)
      .returning('oauth_app_id')
      .executeTakeFirst()
    return row !== undefined
  },

  /** How many live accounts are connected with the app, counted up to `max`. */
  async countAccounts(trx: Kysely<Tables>, appId: OAuthAppId, max: number): Promise<number> {
    const { count } = await trx
      .selectFrom((eb) =>
        eb
          .selectFrom('accounts')
          .select('account_id')
          .where('oauth_app_id', '=', appId)
          .where('deleted_at', 'is', null)
          .limit(max)
          .as('counted'),
      )
      .select((eb) => eb.fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  },
}

/** Lists of OAuth apps of the workspaces that the caller can access. */
function createOAuthAppLists(database: Database) {
  const preparedOfWorkspace = database.prepare(
    (db, param: Param<{ workspaceId: WorkspaceId; userId: UserId }>) =>
      db
        .selectFrom('oauth_apps')
        .selectAll()
        .where('workspace_id', '=', param('workspaceId'))
        .where(isOwnedWorkspace(param('userId'), param('workspaceId'))),
  )
  return {
    /** What the workspace's apps say about scopes, by the definitions for which there is one. */
    async listScopesByDefinition(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
    ): Promise<ReadonlyMap<string, AppScopes>> {
      if (!coversWorkspace(access, workspaceId)) return new Map()
      const rows = await preparedOfWorkspace.all({ workspaceId, userId: access.userId })
      return new Map(
        rows
          .map(OAUTH_APP.fromRow)
          .map(({ definitionId, scopes, scopesMode, optionalScopes }) => [
            definitionId,
            { scopes, scopesMode, optionalScopes },
          ]),
      )
    },

    /** Lists apps, oldest first. Returns up to `limit` + 1 apps, to detect whether there is a next page. */
    async list(
      access: WorkspaceAccess,
      filter: OAuthAppListFilter,
      page: Pagination,
    ): Promise<OAuthApp[]> {
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
      return rows.map(OAUTH_APP.fromRow)
    },
  }
}
