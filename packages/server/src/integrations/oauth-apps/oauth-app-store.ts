import { type Expression, type Kysely, sql } from 'kysely'
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
import { isAfter } from '../../platform/storage/portable-sql.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import { OAUTH_APP, type OAuthApp, type OAuthAppId } from './oauth-app.ts'

/** Filters the apps of a workspace. */
export interface OAuthAppListFilter {
  readonly workspaceId: WorkspaceId
  readonly definitionId?: DefinitionId | undefined
  readonly accountIdentifier?: string | undefined
  readonly isDefault?: boolean | undefined
}

/** The fields that an update may change. */
export type OAuthAppChange = Partial<
  Omit<
    OAuthApp,
    | 'oauthAppId'
    | 'workspaceId'
    | 'definitionId'
    | 'accountIdentifier'
    | 'failingSince'
    | 'createdAt'
  >
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

    /** The apps from which that of a new connection is selected: those of the workspace for a definition, and the customer's own. */
    async listCandidates(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      { workspaceId, definitionId }: Pick<OAuthApp, 'workspaceId' | 'definitionId'>,
      accountIdentifier: string | null,
    ): Promise<OAuthApp[]> {
      const rows = await selectCandidates(db, workspaceId, sql`${accountIdentifier ?? NO_CUSTOMER}`)
        .where('definition_id', '=', definitionId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .execute()
      return rows.map(OAUTH_APP.fromRow)
    },

    /** The same for background work, which has no caller. */
    async listCandidatesInWorkspace(
      db: Kysely<Tables>,
      { workspaceId, definitionId }: Pick<OAuthApp, 'workspaceId' | 'definitionId'>,
      accountIdentifier: string | null,
    ): Promise<OAuthApp[]> {
      const rows = await selectCandidates(db, workspaceId, sql`${accountIdentifier ?? NO_CUSTOMER}`)
        .where('definition_id', '=', definitionId)
        .execute()
      return rows.map(OAUTH_APP.fromRow)
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

    /** Ends the default of the definition of an app, unless it is the app itself. Returns the ID of the app that was it. */
    async endDefault(
      trx: Kysely<Tables>,
      { oauthAppId, workspaceId, definitionId, issuer }: OAuthApp,
      now: number,
    ): Promise<OAuthAppId | undefined> {
      const row = await trx
        .updateTable('oauth_apps')
        .set({ is_default: 0, updated_at: now })
        .where('workspace_id', '=', workspaceId)
        .where('definition_id', '=', definitionId)
        .where(sql`coalesce(issuer, '')`, '=', issuer ?? '')
        // As in the partial index of default apps.
        .where('is_default', '=', sql.lit(1))
        .where('oauth_app_id', '<>', oauthAppId)
        .returning('oauth_app_id')
        .executeTakeFirst()
      return row?.oauth_app_id
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

    /**
     * After the deletion of an app: its successor is the default if it was, and the apps that it succeeded get its successor.
     */
    async replaceSuccessors(
      trx: Kysely<Tables>,
      { oauthAppId, workspaceId, successorId, isDefault }: OAuthApp,
      now: number,
    ): Promise<void> {
      await trx
        .updateTable('oauth_apps')
        .set({ successor_id: successorId, updated_at: now })
        .where('successor_id', '=', oauthAppId)
        .where('workspace_id', '=', workspaceId)
        .execute()
      if (!isDefault || successorId === null) return
      await trx
        .updateTable('oauth_apps')
        .set({ is_default: 1, updated_at: now })
        .where('oauth_app_id', '=', successorId)
        .where('workspace_id', '=', workspaceId)
        .execute()
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

/** Apps of a workspace that a customer can use: one search of an index for each kind. */
function selectCandidates(
  db: Kysely<Tables>,
  workspaceId: WorkspaceId | Expression<WorkspaceId>,
  accountIdentifier: Expression<string>,
) {
  const apps = selectApps(db).where('workspace_id', '=', workspaceId)
  const candidates = apps
    .where('account_identifier', 'is', null)
    .unionAll(apps.where('account_identifier', '=', accountIdentifier))
  return db.selectFrom(candidates.as('oauth_apps')).selectAll()
}

/** No customer has an empty identifier. */
const NO_CUSTOMER = ''

/** Whether the provider accepts the clients of OAuth apps. */
const oauthAppClientStore = {
  /** Stores newer metadata of the authorization server of an app. For background work, which has no caller. */
  async setServer(
    trx: Kysely<Tables>,
    { oauthAppId, workspaceId }: Pick<OAuthApp, 'oauthAppId' | 'workspaceId'>,
    change: Pick<OAuthApp, 'serverMetadata'> & Partial<Pick<OAuthApp, 'secretOrigins'>>,
  ): Promise<void> {
    await trx
      .updateTable('oauth_apps')
      .set(OAUTH_APP.toColumns(change))
      .where('oauth_app_id', '=', oauthAppId)
      .where('workspace_id', '=', workspaceId)
      .execute()
  },

  /**
   * Deletes the clients of a definition that Linchpin obtained before a time, of which no account has come, and that no one has
   * changed. Returns them. For background work, which has no caller.
   */
  async removeUnused(
    trx: Kysely<Tables>,
    { workspaceId, definitionId }: Pick<OAuthApp, 'workspaceId' | 'definitionId'>,
    before: number,
  ): Promise<OAuthAppId[]> {
    const rows = await trx
      .deleteFrom('oauth_apps')
      .where('workspace_id', '=', workspaceId)
      .where('definition_id', '=', definitionId)
      .where('kind', '<>', 'registered')
      // Not by the index of the age: a definition has fewer apps than a workspace.
      .where(sql<number>`+created_at`, '<', before)
      .whereRef('updated_at', '=', 'created_at')
      .where('successor_id', 'is', null)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('accounts')
              .select('account_id')
              .whereRef('accounts.oauth_app_id', '=', 'oauth_apps.oauth_app_id')
              .where('deleted_at', 'is', null),
          ),
        ),
      )
      .returning('oauth_app_id')
      .execute()
    return rows.map((row) => row.oauth_app_id)
  },

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

  /** How many live accounts are connected with each of these apps, counted up to `max`. */
  async countAccountsOf(
    db: Kysely<Tables>,
    appIds: readonly OAuthAppId[],
    max: number,
  ): Promise<ReadonlyMap<OAuthAppId, number>> {
    if (appIds.length === 0) return new Map()
    const rows = await db
      .selectFrom('oauth_apps')
      .select('oauth_app_id')
      .select((eb) =>
        eb
          .selectFrom(
            eb
              .selectFrom('accounts')
              .select('account_id')
              .whereRef('accounts.oauth_app_id', '=', 'oauth_apps.oauth_app_id')
              .where('deleted_at', 'is', null)
              .limit(max)
              .as('counted'),
          )
          .select((counted) => counted.fn.countAll().as('count'))
          .as('accounts'),
      )
      .where('oauth_app_id', 'in', appIds)
      .execute()
    return new Map(rows.map((row) => [row.oauth_app_id, Number(row.accounts)]))
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
  const preparedCandidates = database.prepare(
    (db, param: Param<{ workspaceId: WorkspaceId; accountIdentifier: string; userId: UserId }>) =>
      selectCandidates(db, param('workspaceId'), param('accountIdentifier')).where(
        isOwnedWorkspace(param('userId'), param('workspaceId')),
      ),
  )
  return {
    /** The candidates for connections of a customer, by definition. */
    async listCandidatesByDefinition(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      accountIdentifier: string | null,
    ): Promise<ReadonlyMap<DefinitionId, readonly OAuthApp[]>> {
      if (!coversWorkspace(access, workspaceId)) return new Map()
      const { userId } = access
      const rows = await preparedCandidates.all({
        workspaceId,
        accountIdentifier: accountIdentifier ?? NO_CUSTOMER,
        userId,
      })
      return Map.groupBy(rows.map(OAUTH_APP.fromRow), ({ definitionId }) => definitionId)
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
      if (filter.accountIdentifier !== undefined)
        query = query.where('account_identifier', '=', filter.accountIdentifier)
      // As in the partial index of default apps.
      if (filter.isDefault !== undefined)
        query = query.where('is_default', '=', filter.isDefault ? sql.lit(1) : sql.lit(0))
      if (page.after !== undefined)
        query = query.where(isAfter(['created_at', 'oauth_app_id'], page.after))
      const limited = page.limit === undefined ? query : query.limit(page.limit + 1)
      const rows = await limited.execute()
      return rows.map(OAUTH_APP.fromRow)
    },
  }
}
