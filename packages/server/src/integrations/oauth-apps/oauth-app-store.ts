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

import type { OAuthAppRow, Tables } from '../../platform/storage/tables.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import type { OAuthApp, OAuthAppId } from './oauth-app.ts'

/** An app without its sealed secret, the origins that the secret is bound to, and the state of its client. */
export type PublicOAuthApp = Omit<OAuthApp, 'sealedSecret' | 'secretOrigins' | 'failingSince'>

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
      await trx.insertInto('oauth_apps').values(toOAuthAppRow(app)).execute()
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
        .set(toChangedColumns(change))
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

/** The app of a row. */
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

/** The row of an app. */
function toOAuthAppRow(app: OAuthApp): OAuthAppRow {
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

/** The columns of a change; those of absent fields are undefined. */
function toChangedColumns(change: Partial<OAuthApp>): Partial<OAuthAppRow> {
  const { name, clientId, sealedSecret, scopes, secretOrigins, allowedHosts, updatedAt } = change
  const columns = {
    name,
    client_id: clientId,
    sealed_secret: sealedSecret,
    scopes: scopes && JSON.stringify(scopes),
    secret_origins: secretOrigins && JSON.stringify(secretOrigins),
    allowed_hosts: allowedHosts && JSON.stringify(allowedHosts),
    updated_at: updatedAt,
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}
