import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../auth/authenticate-requests.ts'
import { nextLinkHeader, PaginationQuery } from '../http/pagination.ts'
import {
  EmptyQuery,
  listOf,
  OpenObject,
  ref,
  responseSchemas,
  StrictObject,
} from '../http/schema.ts'
import { type CreateDefinitionDeps, createDefinition } from './create-definition.ts'
import {
  CreateDefinition,
  DefinitionQuery,
  ExtendedIntegrationDefinition,
  IntegrationDefinition,
} from './definition.ts'
import { deleteDefinition } from './delete-definition.ts'
import { getDefinition } from './get-definition.ts'
import { getDefinitionSpec } from './get-definition-spec.ts'
import { listDefinitions } from './list-definitions.ts'

const tags = ['Integration definitions']
const params = Type.Object({
  integrationDefinitionId: Type.String({
    description: 'Identifier of the integration definition.',
  }),
})

/** `/v1/integration_definition` */
export function definitionRoutes(deps: CreateDefinitionDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/integration_definition', {
      config: { scope: 'definitions:write' },
      schema: {
        operationId: 'createDefinition',
        summary: 'Create a custom integration definition',
        description:
          'Downloads the bundle from `sourceUrl`, asks it for its spec, and keeps both. Only those bytes ever run.',
        tags,
        querystring: EmptyQuery,
        body: ref(CreateDefinition),
        response: responseSchemas(201, ref(IntegrationDefinition), 'The definition.'),
      },
      handler: async (request, reply) =>
        reply.code(201).send(await createDefinition(deps, getCaller(request), request.body)),
    })

    app.get('/v1/integration_definition', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listDefinitions',
        summary: 'List the integration definitions of a workspace',
        description:
          'Live definitions, oldest first. `limit` and `cursor` page the list; the next page is in the `Link` header.',
        tags,
        querystring: StrictObject({ ...DefinitionQuery, ...PaginationQuery }),
        response: responseSchemas(200, listOf(IntegrationDefinition), 'Live ones, oldest first.'),
      },
      handler: async (request, reply) => {
        const { definitions, next } = await listDefinitions(deps, getCaller(request), request.query)
        if (next) reply.header('link', nextLinkHeader(deps.baseUrl(), request.originalUrl, next))
        return definitions
      },
    })

    app.get('/v1/integration_definition/:integrationDefinitionId', {
      config: { scope: 'read' },
      schema: {
        operationId: 'getDefinition',
        summary: 'Get an integration definition',
        description:
          'Answers a deleted definition too, with `deleted` set. `category` and `workspaceId` must match when given.',
        tags,
        params,
        querystring: StrictObject(DefinitionQuery),
        response: responseSchemas(200, ref(ExtendedIntegrationDefinition), 'The definition.'),
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
      config: { scope: 'read' },
      schema: {
        operationId: 'getDefinitionSpec',
        summary: 'Get the spec of an integration definition',
        description:
          'The spec as the bundle gave it: its auth types, and the fields that each of them needs.',
        tags,
        params,
        querystring: StrictObject(DefinitionQuery),
        response: responseSchemas(200, OpenObject(), 'What the integration says it needs.'),
      },
      handler: async (request, reply) => {
        const { integrationDefinitionId } = request.params
        const spec = await getDefinitionSpec(
          deps,
          getCaller(request),
          integrationDefinitionId,
          request.query,
        )
        // It is JSON text already, judged when it was stored.
        return reply
          .header('content-type', 'application/json; charset=utf-8')
          .serializer(String)
          .send(spec as unknown as Record<string, unknown>)
      },
    })

    app.delete('/v1/integration_definition/:integrationDefinitionId', {
      config: { scope: 'definitions:write' },
      schema: {
        operationId: 'deleteDefinition',
        summary: 'Delete an integration definition that no live account uses',
        description:
          'Leaves a tombstone and frees the key. Refused while live accounts use the definition.',
        tags,
        params,
        querystring: EmptyQuery,
        response: responseSchemas(200, ref(IntegrationDefinition), 'Its tombstone.'),
      },
      handler: async (request) =>
        deleteDefinition(deps, getCaller(request), request.params.integrationDefinitionId),
    })
  }
}
