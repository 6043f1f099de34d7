import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type, { type Static } from 'typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import { cacheDirectRead } from '../../access/auth/cache-direct-read.ts'
import { buildNextLinkHeader, PaginationQuery } from '../../platform/http/pagination.ts'
import { createResponseSchemas, listOf, ref, StrictObject } from '../../platform/http/schema.ts'
import { sendJson } from '../../platform/http/send-json.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { DefinitionReference } from './definition.ts'
import { getDefinition } from './get-definition.ts'
import { getDefinitionSpec } from './get-definition-spec.ts'
import { type ListDefinitionsDeps, listDefinitions } from './list-definitions.ts'
import {
  DefinitionQuery,
  definitionInPath,
  ExtendedIntegrationDefinition,
  IntegrationDefinition,
} from './schemas.ts'
import { IntegrationSpec } from './spec/spec-response.ts'

export const tags = ['Integration definitions']
export const params = Type.Object({
  integrationDefinitionId: definitionInPath,
})

export interface DefinitionReadDeps extends ListDefinitionsDeps {
  readonly database: Database
}

/** The reads of `/v1/integration_definition`, which need nothing but the database. */
export function definitionReadRoutes(deps: DefinitionReadDeps): FastifyPluginAsyncTypebox {
  const stringify = createSerializer(ExtendedIntegrationDefinition)
  const readDefinition = cacheDirectRead(deps.database, async (access, id: DefinitionReference) =>
    stringify(await getDefinition(deps, access, id, {})),
  )
  const readSpec = cacheDirectRead(deps.database, (access, id: DefinitionReference) =>
    getDefinitionSpec(deps, access, id, {}),
  )
  return async (app) => {
    app.get('/v1/integration_definition', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listDefinitions',
        summary: 'List the integration definitions of a workspace',
        description:
          'Live definitions, oldest first, paginated with `limit` and `cursor`. The `Link` header contains the URL of the next page.',
        tags,
        querystring: StrictObject({
          ...DefinitionQuery,
          key: Type.Optional(
            Type.String({
              maxLength: 255,
              description:
                "Only the definition with this key; the workspace's own wins over the catalogue's.",
            }),
          ),
          ...PaginationQuery,
        }),
        response: createResponseSchemas(
          200,
          listOf(IntegrationDefinition),
          'Live definitions, oldest first.',
        ),
      },
      handler: async (request, reply) => {
        const { json, next } = await listDefinitions(deps, getCaller(request), request.query)
        if (next)
          reply.header('link', buildNextLinkHeader(deps.baseUrl(), request.originalUrl, next))
        return sendJson(reply, json)
      },
    })

    app.get('/v1/integration_definition/:integrationDefinitionId', {
      config: { scope: 'read', directRead: readDefinition },
      schema: {
        operationId: 'getDefinition',
        summary: 'Get an integration definition',
        description:
          'Also returns deleted definitions, with `deleted` set. `category` and `workspaceId` must match if given.',
        tags,
        params,
        querystring: StrictObject(DefinitionQuery),
        response: createResponseSchemas(200, ref(ExtendedIntegrationDefinition), 'The definition.'),
      },
      handler: async (request) =>
        getDefinition(
          deps,
          getCaller(request),
          request.params.integrationDefinitionId,
          request.query,
        ),
    })

    app.get('/v1/integration_definition/:integrationDefinitionId/spec', {
      config: { scope: 'read', directRead: readSpec },
      schema: {
        operationId: 'getDefinitionSpec',
        summary: 'Get the spec of an integration definition',
        description:
          'The spec as the bundle returned it: its auth types, their fields, and with `x-scope-labels` what a sign-in allows.',
        tags,
        params,
        querystring: StrictObject(DefinitionQuery),
        response: createResponseSchemas(200, ref(IntegrationSpec), 'The spec.'),
      },
      handler: async (request, reply) => {
        const { integrationDefinitionId } = request.params
        const spec = await getDefinitionSpec(
          deps,
          getCaller(request),
          integrationDefinitionId,
          request.query,
        )
        // The spec is stored as validated JSON text.
        return reply
          .header('content-type', 'application/json; charset=utf-8')
          .serializer(String)
          .send(spec as unknown as Static<typeof IntegrationSpec>)
      },
    })
  }
}
