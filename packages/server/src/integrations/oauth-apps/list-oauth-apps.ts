import Type from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { resolveWorkspace } from '../../access/workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { type JsonList, listInParts } from '../../platform/http/list-in-parts.ts'
import {
  buildNextLinkHeader,
  type Pagination,
  PaginationQuery,
  parsePagination,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { TakeTurn } from '../../platform/http/turns.ts'
import type { DefinitionReference } from '../definitions/definition.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { findDefinitionId } from '../definitions/find-definition.ts'
import { definitionReference } from '../definitions/schemas.ts'
import type { OAuthAppStore, PublicOAuthApp } from './oauth-app-store.ts'
import { IntegrationOAuthApp } from './schemas.ts'
import { serializeOAuthApp } from './serialize-oauth-app.ts'

export interface ListOAuthAppsDeps {
  readonly oauthApps: OAuthAppStore
  readonly takeTurn: TakeTurn
  readonly definitions: DefinitionStore
  readonly workspaces: WorkspaceStore
}

export interface ListOAuthAppsQuery {
  readonly workspaceId?: WorkspaceId
  readonly integrationDefinitionId?: DefinitionReference
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
    integrationDefinitionId: Type.Optional(definitionReference('Only the app for this definition')),
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
  ) => {
    const { json, next } = await listOAuthApps(deps, caller, query)
    if (next)
      reply.header('link', buildNextLinkHeader(deps.baseUrl(), reply.request.originalUrl, next))
    return json
  },
})

/** Lists the OAuth apps of a workspace, oldest first, as JSON. @throws ApiError `workspace_not_accessible`, `invalid_parameter` */
export async function listOAuthApps(
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
  const filter = { workspaceId, definitionId: definitionId || undefined }
  const source = {
    read: (part: Pagination) => deps.oauthApps.list(caller, filter, part),
    positionOf: ({ createdAt, oauthAppId }: PublicOAuthApp) => ({ createdAt, id: oauthAppId }),
    serialize: (apps: readonly PublicOAuthApp[]) =>
      apps.map((app) => stringify(serializeOAuthApp(app))),
  }
  const { takeTurn } = deps
  return listInParts(source, page, { takeTurn, reauthenticate: caller.reauthenticate })
}

const stringifyApp = createSerializer(IntegrationOAuthApp)
