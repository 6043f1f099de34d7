import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { buildNextLinkHeader, PaginationQuery } from '../../platform/http/pagination.ts'
import {
  createResponseSchemas,
  EmptyQuery,
  IdOf,
  listOf,
  ref,
  StrictObject,
} from '../../platform/http/schema.ts'
import { sendJson } from '../../platform/http/send-json.ts'
import { definitionReference } from '../definitions/schemas.ts'
import { type CreateOAuthAppDeps, createOAuthApp } from './create-oauth-app.ts'
import { deleteOAuthApp } from './delete-oauth-app.ts'
import { OAuthAppReport } from './diagnostics/oauth-app-report.ts'
import { getOAuthApp } from './get-oauth-app.ts'
import { listOAuthAppIds } from './list-oauth-app-ids.ts'
import { type ListOAuthAppsDeps, listOAuthApps } from './list-oauth-apps.ts'
import type { OAuthAppId } from './oauth-app.ts'
import { CreateOAuthApp, IntegrationOAuthApp, OAuthAppSummary, UpdateOAuthApp } from './schemas.ts'
import { type TestOAuthAppDeps, testOAuthApp } from './test-oauth-app.ts'
import { updateOAuthApp } from './update-oauth-app.ts'

const tags = ['OAuth apps']
const params = Type.Object({
  integrationOAuthAppId: IdOf<OAuthAppId>({ description: 'ID of the OAuth app.' }),
})
const workspaceId = Type.Optional(
  IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
)

export interface OAuthAppRoutesDeps
  extends CreateOAuthAppDeps,
    ListOAuthAppsDeps,
    TestOAuthAppDeps {}

/** `/v1/integration_oauth` */
export function oauthAppRoutes(deps: OAuthAppRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/integration_oauth', {
      config: { scope: 'apps:write' },
      schema: {
        operationId: 'createOAuthApp',
        summary: 'Create an OAuth app',
        description:
          'A workspace has at most one OAuth app per definition. The client secret is stored encrypted and never returned. Omit it for a public client.',
        tags,
        querystring: EmptyQuery,
        body: ref(CreateOAuthApp),
        response: createResponseSchemas(
          201,
          ref(IntegrationOAuthApp),
          'The OAuth app, without its secret.',
        ),
      },
      handler: async (request, reply) =>
        reply.code(201).send(await createOAuthApp(deps, getCaller(request), request.body)),
    })

    app.get('/v1/integration_oauth', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listOAuthApps',
        summary: 'List the OAuth apps of a workspace',
        description:
          'Oldest first, paginated with `limit` and `cursor`. The `Link` header contains the URL of the next page.',
        tags,
        querystring: StrictObject({
          workspaceId,
          integrationDefinitionId: Type.Optional(
            definitionReference('Only the app for this definition'),
          ),
          ...PaginationQuery,
        }),
        response: createResponseSchemas(200, listOf(IntegrationOAuthApp), 'Oldest first.'),
      },
      handler: async (request, reply) => {
        const { json, next } = await listOAuthApps(deps, getCaller(request), request.query)
        if (next)
          reply.header('link', buildNextLinkHeader(deps.baseUrl(), request.originalUrl, next))
        return sendJson(reply, json)
      },
    })

    app.get('/v1/integration_oauth/just_ids', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listOAuthAppIds',
        summary: 'List the OAuth apps of a workspace with IDs and names only',
        description: 'What a page needs to start connections: no client ID and no scopes.',
        tags,
        querystring: StrictObject({ workspaceId }),
        response: createResponseSchemas(200, listOf(OAuthAppSummary), 'Oldest first.'),
      },
      handler: async (request, reply) =>
        sendJson(reply, await listOAuthAppIds(deps, getCaller(request), request.query)),
    })

    app.get('/v1/integration_oauth/:integrationOAuthAppId', {
      config: { scope: 'read' },
      schema: {
        operationId: 'getOAuthApp',
        summary: 'Get an OAuth app',
        description: 'The client secret is never returned.',
        tags,
        params,
        querystring: EmptyQuery,
        response: createResponseSchemas(
          200,
          ref(IntegrationOAuthApp),
          'The OAuth app, without its secret.',
        ),
      },
      handler: async (request) =>
        getOAuthApp(deps, getCaller(request), request.params.integrationOAuthAppId),
    })

    app.post('/v1/integration_oauth/:integrationOAuthAppId', {
      config: { scope: 'apps:write' },
      schema: {
        operationId: 'updateOAuthApp',
        summary: 'Update an OAuth app',
        description:
          'Replaces the given fields. An omitted client secret is unchanged. Existing accounts use the new values from their next token refresh.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(UpdateOAuthApp),
        response: createResponseSchemas(
          200,
          ref(IntegrationOAuthApp),
          'The OAuth app, without its secret.',
        ),
      },
      handler: async (request) =>
        updateOAuthApp(
          deps,
          getCaller(request),
          request.params.integrationOAuthAppId,
          request.body,
        ),
    })

    app.post('/v1/integration_oauth/:integrationOAuthAppId/test', {
      config: { scope: 'apps:write', optionalBody: true, ignoresIdempotencyKey: true },
      schema: {
        operationId: 'testOAuthApp',
        summary: 'Diagnose an OAuth app',
        description:
          'Sends the provider one token request with a made-up code, compares scopes, and predicts whether refresh tokens are issued. Problems of the app are reported with status 200 in `checks`.',
        tags,
        params,
        querystring: EmptyQuery,
        body: StrictObject({}),
        response: createResponseSchemas(200, ref(OAuthAppReport), 'The diagnosis.'),
      },
      handler: async (request) =>
        testOAuthApp(deps, getCaller(request), request.params.integrationOAuthAppId),
    })

    app.delete('/v1/integration_oauth/:integrationOAuthAppId', {
      config: { scope: 'apps:write' },
      schema: {
        operationId: 'deleteOAuthApp',
        summary: 'Delete an OAuth app',
        description:
          'Returns the last state of the app. Fails while live accounts are connected with it.',
        tags,
        params,
        querystring: EmptyQuery,
        response: createResponseSchemas(
          200,
          ref(IntegrationOAuthApp),
          'The last state of the app.',
        ),
      },
      handler: async (request) =>
        deleteOAuthApp(deps, getCaller(request), request.params.integrationOAuthAppId),
    })
  }
}
