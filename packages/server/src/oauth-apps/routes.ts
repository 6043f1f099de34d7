import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../auth/authenticate-requests.ts'
import { nextLinkHeader, PaginationQuery } from '../http/pagination.ts'
import { EmptyQuery, listOf, ref, responseSchemas, StrictObject } from '../http/schema.ts'
import { type CreateOAuthAppDeps, createOAuthApp } from './create-oauth-app.ts'
import { deleteOAuthApp } from './delete-oauth-app.ts'
import { type DiagnoseOAuthAppDeps, diagnoseOAuthApp } from './doctor/diagnose-oauth-app.ts'
import { OAuthAppReport } from './doctor/oauth-app-report.ts'
import { getOAuthApp } from './get-oauth-app.ts'
import { listOAuthAppIds } from './list-oauth-app-ids.ts'
import { listOAuthApps } from './list-oauth-apps.ts'
import { CreateOAuthApp, IntegrationOAuthApp, OAuthAppIds, UpdateOAuthApp } from './oauth-app.ts'
import { updateOAuthApp } from './update-oauth-app.ts'

const tags = ['OAuth apps']
const params = Type.Object({
  integrationOAuthAppId: Type.String({ description: 'Identifier of the OAuth app.' }),
})
const workspaceId = Type.Optional(
  Type.String({ maxLength: 64, description: 'Workspace identifier.' }),
)

export interface OAuthAppRoutesDeps extends CreateOAuthAppDeps, DiagnoseOAuthAppDeps {}

/** `/v1/integration_oauth` */
export function oauthAppRoutes(deps: OAuthAppRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/integration_oauth', {
      config: { scope: 'apps:write' },
      schema: {
        operationId: 'createOAuthApp',
        summary: 'Keep the OAuth client of a workspace for a definition',
        description:
          'One per definition and workspace. The secret is stored sealed and is in no answer. Leave it out for a public client.',
        tags,
        querystring: EmptyQuery,
        body: ref(CreateOAuthApp),
        response: responseSchemas(201, ref(IntegrationOAuthApp), 'The app, without its secret.'),
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
          'Oldest first. `limit` and `cursor` page the list; the next page is in the `Link` header.',
        tags,
        querystring: StrictObject({
          workspaceId,
          integrationDefinitionId: Type.Optional(
            Type.String({ maxLength: 64, description: 'Only of this definition.' }),
          ),
          ...PaginationQuery,
        }),
        response: responseSchemas(200, listOf(IntegrationOAuthApp), 'Oldest first.'),
      },
      handler: async (request, reply) => {
        const { apps, next } = await listOAuthApps(deps, getCaller(request), request.query)
        if (next) reply.header('link', nextLinkHeader(deps.baseUrl(), request.originalUrl, next))
        return apps
      },
    })

    app.get('/v1/integration_oauth/just_ids', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listOAuthAppIds',
        summary: 'List the OAuth apps of a workspace by ids and names alone',
        description: 'What a page needs to start connections. No client id, no scopes.',
        tags,
        querystring: StrictObject({ workspaceId }),
        response: responseSchemas(200, listOf(OAuthAppIds), 'Oldest first.'),
      },
      handler: async (request) => listOAuthAppIds(deps, getCaller(request), request.query),
    })

    app.get('/v1/integration_oauth/:integrationOAuthAppId', {
      config: { scope: 'read' },
      schema: {
        operationId: 'getOAuthApp',
        summary: 'Get an OAuth app',
        description: 'Never shows the client secret.',
        tags,
        params,
        querystring: EmptyQuery,
        response: responseSchemas(200, ref(IntegrationOAuthApp), 'The app, without its secret.'),
      },
      handler: async (request) =>
        getOAuthApp(deps, getCaller(request), request.params.integrationOAuthAppId),
    })

    app.post('/v1/integration_oauth/:integrationOAuthAppId', {
      config: { scope: 'apps:write' },
      schema: {
        operationId: 'updateOAuthApp',
        summary: 'Change an OAuth app, such as a rotated secret',
        description:
          'Fields that are given replace what was there; a secret that is left out is kept. Accounts that are connected already use the new values from their next renewal on.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(UpdateOAuthApp),
        response: responseSchemas(200, ref(IntegrationOAuthApp), 'The app, without its secret.'),
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
      config: { scope: 'apps:write', optionalBody: true },
      schema: {
        operationId: 'testOAuthApp',
        summary: 'Find out what is wrong with an OAuth app',
        description:
          'Sends the provider one token request with a made-up code, compares scopes, and foresees refresh tokens. What is wrong with the app is told with 200: look at the checks.',
        tags,
        params,
        querystring: EmptyQuery,
        body: StrictObject({}),
        response: responseSchemas(200, ref(OAuthAppReport), 'What was found.'),
      },
      handler: async (request) =>
        diagnoseOAuthApp(deps, getCaller(request), request.params.integrationOAuthAppId),
    })

    app.delete('/v1/integration_oauth/:integrationOAuthAppId', {
      config: { scope: 'apps:write' },
      schema: {
        operationId: 'deleteOAuthApp',
        summary: 'Erase an OAuth app that no live account uses',
        description:
          'Answers the app as it was; its id is unknown afterwards. Refused while live accounts were connected with it.',
        tags,
        params,
        querystring: EmptyQuery,
        response: responseSchemas(200, ref(IntegrationOAuthApp), 'The app as it was.'),
      },
      handler: async (request) =>
        deleteOAuthApp(deps, getCaller(request), request.params.integrationOAuthAppId),
    })
  }
}
