import type { Readable } from 'node:stream'
import Type from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { ApiError, notFound } from '../../platform/errors.ts'
import {
  type JsonList,
  listInParts,
  type Pagination,
  PaginationQuery,
  parsePagination,
  type TakeTurn,
  toListBody,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { DefinitionReference } from '../definitions/definition.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { findDefinitionId } from '../definitions/find-definition.ts'
import { definitionReference } from '../definitions/schemas.ts'
import { rethrowConflict } from './create-oauth-app.ts'
import type { OAuthApp, OAuthAppId } from './oauth-app.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'
import {
  IntegrationOAuthApp,
  MAX_COUNTED_ACCOUNTS,
  OAuthAppParams,
  OAuthAppSummary,
  serializeOAuthApp,
} from './schemas.ts'

export const getOAuthAppOperation = defineOperation({
  id: 'getOAuthApp',
  sdk: 'oauthApps.get',
  method: 'GET',
  path: '/v1/integration_oauth/:integrationOAuthAppId',
  tag: 'OAuth apps',
  summary: 'Get an OAuth app',
  description: 'The client secret is never returned.',
  scope: 'read',
  params: OAuthAppParams,
  response: IntegrationOAuthApp,
  returns: 'The OAuth app, without its secret.',
  errors: ['oauth_app_not_found'],
  handle: (deps: RequireOAuthAppDeps, caller, { params }) =>
    getOAuthApp(deps, caller, params.integrationOAuthAppId),
})

/** Returns an OAuth app without its secret. @throws ApiError `oauth_app_not_found` */
export async function getOAuthApp(
  deps: RequireOAuthAppDeps,
  caller: Caller,
  appId: OAuthAppId,
): Promise<IntegrationOAuthApp> {
  return withAccounts(deps, deps.database.read, await requireOAuthApp(deps, caller, appId))
}

/** Serializes an app with the number of its accounts. */
export async function withAccounts(
  { oauthApps }: Pick<RequireOAuthAppDeps, 'oauthApps'>,
  db: Transaction,
  app: OAuthApp,
): Promise<IntegrationOAuthApp> {
  const accounts = await oauthApps.countAccounts(db, app.oauthAppId, MAX_COUNTED_ACCOUNTS)
  return serializeOAuthApp(app, accounts)
}

export interface RequireOAuthAppDeps {
  readonly database: Database
  readonly oauthApps: OAuthAppStore
}

/** Returns the row of an OAuth app. @throws ApiError `oauth_app_not_found` */
export async function requireOAuthApp(
  deps: RequireOAuthAppDeps,
  caller: Caller,
  appId: OAuthAppId,
): Promise<OAuthApp> {
  const row = isId('oap', appId)
    ? await deps.oauthApps.find(deps.database.read, caller, appId)
    : undefined
  if (row === undefined) throw notFound('oauth_app')
  return row
}

interface ListOAuthAppsDeps {
  readonly database: Database
  readonly oauthApps: OAuthAppStore
  readonly takeTurn: TakeTurn
  readonly definitions: DefinitionStore
  readonly workspaces: WorkspaceStore
}

export interface ListOAuthAppsQuery {
  readonly workspaceId?: WorkspaceId
  readonly integrationDefinitionId?: DefinitionReference
  readonly accountIdentifier?: string
  readonly isDefault?: boolean
  readonly limit?: number
  readonly cursor?: string
}

export const listOAuthAppsOperation = defineOperation({
  id: 'listOAuthApps',
  sdk: 'oauthApps.list',
  method: 'GET',
  path: '/v1/integration_oauth',
  tag: 'OAuth apps',
  summary: 'List the OAuth apps of a workspace',
  description:
    'Oldest first, paginated with `limit` and `cursor`. The `Link` header contains the URL of the next page.',
  scope: 'read',
  query: StrictObject({
    workspaceId: Type.Optional(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
    integrationDefinitionId: Type.Optional(definitionReference('Only apps for this definition')),
    accountIdentifier: Type.Optional(
      Type.String({ maxLength: 255, description: 'Only the own apps of this customer.' }),
    ),
    isDefault: Type.Optional(
      Type.Boolean({ description: 'True: only default apps; false: only others.' }),
    ),
    ...PaginationQuery,
  }),
  response: listOf(IntegrationOAuthApp),
  returns: 'Oldest first.',
  errors: [],
  handle: async (
    deps: ListOAuthAppsDeps & { readonly baseUrl: () => string },
    caller,
    { query },
    reply,
  ) => toListBody(reply, deps.baseUrl(), await listOAuthApps(deps, caller, query)),
})

/** Lists the OAuth apps of a workspace, oldest first, as JSON. @throws ApiError `workspace_not_accessible`, `invalid_parameter` */
async function listOAuthApps(
  deps: ListOAuthAppsDeps,
  caller: Caller,
  query: ListOAuthAppsQuery,
  stringify = stringifyApp,
): Promise<JsonList> {
  const page = parsePagination(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const { integrationDefinitionId: definition } = query
  const definitionId = definition && (await findDefinitionId(deps, caller, workspaceId, definition))
  if (definition !== undefined && !definitionId) return { json: '[]', next: undefined }
  const { accountIdentifier, isDefault } = query
  const filter = {
    workspaceId,
    definitionId: definitionId || undefined,
    accountIdentifier,
    isDefault,
  }
  const source = {
    read: (part: Pagination) => deps.oauthApps.list(caller, filter, part),
    positionOf: ({ createdAt, oauthAppId }: OAuthApp) => ({ createdAt, id: oauthAppId }),
    serialize: async (apps: readonly OAuthApp[]) => {
      const counts = await countAccounts(deps, apps)
      return apps.map((app) => stringify(serializeOAuthApp(app, counts.get(app.oauthAppId) ?? 0)))
    },
  }
  const { takeTurn } = deps
  return listInParts(source, page, { takeTurn, reauthenticate: caller.reauthenticate })
}

function countAccounts({ oauthApps, database }: ListOAuthAppsDeps, apps: readonly OAuthApp[]) {
  const ids = apps.map(({ oauthAppId }) => oauthAppId)
  return oauthApps.countAccountsOf(database.read, ids, MAX_COUNTED_ACCOUNTS)
}

const stringifyApp = createSerializer(IntegrationOAuthApp)

export const listOAuthAppIdsOperation = defineOperation({
  id: 'listOAuthAppIds',
  sdk: 'oauthApps.listIds',
  method: 'GET',
  path: '/v1/integration_oauth/just_ids',
  tag: 'OAuth apps',
  summary: 'List the OAuth apps of a workspace with IDs and names only',
  description: 'What a page needs to start connections: no client ID and no scopes.',
  scope: 'read',
  query: StrictObject({
    workspaceId: Type.Optional(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
  }),
  response: listOf(OAuthAppSummary),
  returns: 'Oldest first.',
  errors: [],
  handle: (deps: ListOAuthAppsDeps, caller, { query }) => listOAuthAppIds(deps, caller, query),
})

/** Lists the OAuth apps of a workspace with IDs and names only, as JSON. @throws ApiError `workspace_not_accessible` */
export async function listOAuthAppIds(
  deps: ListOAuthAppsDeps,
  caller: Caller,
  query: { readonly workspaceId?: WorkspaceId },
): Promise<string | Readable> {
  return (await listOAuthApps(deps, caller, query, stringify)).json
}

const stringify = createSerializer(OAuthAppSummary)

export interface DeleteOAuthAppDeps extends RequireOAuthAppDeps {
  readonly now: () => number
}

export const deleteOAuthAppOperation = defineOperation({
  id: 'deleteOAuthApp',
  sdk: 'oauthApps.delete',
  method: 'DELETE',
  path: '/v1/integration_oauth/:integrationOAuthAppId',
  tag: 'OAuth apps',
  summary: 'Delete an OAuth app',
  description:
    'Returns the last state of the app. Fails while live accounts are connected with it: give it a successor, and have them reconnect. The successor of a default app becomes the default.',
  scope: 'apps:write',
  params: OAuthAppParams,
  response: IntegrationOAuthApp,
  returns: 'The last state of the app.',
  errors: ['oauth_app_not_found', 'oauth_app_in_use', 'already_exists'],
  audit: 'oauth_app.deleted',
  handle: (deps: DeleteOAuthAppDeps, caller, { params }) =>
    deleteOAuthApp(deps, caller, params.integrationOAuthAppId),
})

/**
 * Permanently deletes an app and its secret, and returns its last state.
 *
 * @throws ApiError `oauth_app_not_found`; `oauth_app_in_use` while live accounts need it to refresh their tokens; `already_exists`
 * if it succeeds several apps of a customer, of which only one can be left without a successor
 */
export async function deleteOAuthApp(
  deps: DeleteOAuthAppDeps,
  caller: Caller,
  appId: OAuthAppId,
): Promise<IntegrationOAuthApp> {
  const existing = await requireOAuthApp(deps, caller, appId)
  // Serializable: no account may be connected between the check and the deletion.
  const remove = () =>
    deps.database.transaction(
      async (trx) => {
        if (await deps.oauthApps.isInUse(trx, caller, appId))
          throw new ApiError(
            'oauth_app_in_use',
            'Live accounts are connected with this OAuth app. Reconnect them with its successor, or delete them first.',
          )
        const deleted = await deps.oauthApps.remove(trx, caller, appId)
        if (deleted === undefined) throw notFound('oauth_app')
        await deps.oauthApps.replaceSuccessors(trx, deleted, deps.now())
        await record(trx, caller, deps.now(), {
          action: 'oauth_app.deleted',
          workspaceId: deleted.workspaceId,
          subject: appId,
          detail: { definitionId: deleted.definitionId },
        })
        return deleted
      },
      { serializable: true },
    )
  const app = await remove().catch((error) => rethrowConflict(error, existing))
  return serializeOAuthApp(app, 0)
}
