import type { Kysely } from 'kysely'
import type { WorkspaceAccess } from '../auth/caller.ts'
import { isAccessibleWorkspace, isInAccessibleWorkspace } from '../auth/workspace-access-store.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import type { Database } from '../storage/database.ts'
import type { OAuthAppRow, Tables } from '../storage/tables.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { OAuthApp, OAuthAppId } from './oauth-app.ts'
import { oauthAppClientStore } from './oauth-app-client-store.ts'
import { createOAuthAppLists } from './oauth-app-list-store.ts'

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
      return row && toOAuthApp(row)
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
      return row && toOAuthApp(row)
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
      return row && toOAuthApp(row)
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
      return row && toOAuthApp(row)
    },

    async insert(trx: Kysely<Tables>, app: OAuthApp): Promise<void> {
      await trx.insertInto('oauth_apps').values(toRow(app)).execute()
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
        .set({
          name: change.name,
          client_id: change.clientId,
          sealed_secret: change.sealedSecret,
          scopes: change.scopes && JSON.stringify(change.scopes),
          secret_origins: change.secretOrigins && JSON.stringify(change.secretOrigins),
          allowed_hosts: change.allowedHosts && JSON.stringify(change.allowedHosts),
          updated_at: change.updatedAt,
        })
        .where('oauth_app_id', '=', appId)
        .where(isInAccessibleWorkspace(access, 'oauth_apps'))
        .returningAll()
        .executeTakeFirst()
      return row && toOAuthApp(row)
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
      return row && toOAuthApp(row)
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

function toOAuthApp(row: OAuthAppRow): OAuthApp {
  return {
    oauthAppId: row.oauth_app_id,
    workspaceId: row.workspace_id,
    definitionId: row.definition_id,
    name: row.name,
    clientId: row.client_id,
    scopes: JSON.parse(row.scopes),
    allowedHosts: JSON.parse(row.allowed_hosts ?? '[]'),
    failingSince: row.failing_since,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    sealedSecret: row.sealed_secret,
    secretOrigins: JSON.parse(row.secret_origins ?? '[]'),
  }
}

function toRow(app: OAuthApp): OAuthAppRow {
  return {
    oauth_app_id: app.oauthAppId,
    workspace_id: app.workspaceId,
    definition_id: app.definitionId,
    name: app.name,
    client_id: app.clientId,
    sealed_secret: app.sealedSecret,
    scopes: JSON.stringify(app.scopes),
    secret_origins: JSON.stringify(app.secretOrigins),
    allowed_hosts: JSON.stringify(app.allowedHosts),
    failing_since: app.failingSince,
    created_at: app.createdAt,
    updated_at: app.updatedAt,
  }
}
