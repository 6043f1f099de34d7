import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import type { LargeBodies } from '../../access/auth/large-bodies.ts'
import { createResponseSchemas, EmptyQuery, ref } from '../../platform/http/schema.ts'
import { type CreateDefinitionDeps, createDefinition } from './create-definition.ts'
import { deleteDefinition } from './delete-definition.ts'
import { params, tags } from './read-routes.ts'
import { CreateDefinition, IntegrationDefinition, SetDefinitionIcon } from './schemas.ts'
import { type SetDefinitionIconDeps, setDefinitionIcon } from './set-definition-icon.ts'
import { BUNDLE_BODY_LIMIT, BUNDLE_MEMBER } from './uploaded-bundle.ts'

export interface DefinitionRoutesDeps extends CreateDefinitionDeps, SetDefinitionIconDeps {
  readonly largeBodies: LargeBodies
}

/** `/v1/integration_definition`, except its reads. */
export function definitionRoutes(deps: DefinitionRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/integration_definition', {
      config: { scope: 'definitions:write', rate: 'bundle', longMember: BUNDLE_MEMBER },
      bodyLimit: BUNDLE_BODY_LIMIT,
      preParsing: deps.largeBodies.admitRequest,
      schema: {
        operationId: 'createDefinition',
        summary: 'Create a custom integration definition',
        description:
          'Downloads the bundle from `sourceUrl`, or takes the one in `bundle`, runs it to get its spec, and stores both. Only the stored bytes are ever executed.',
        tags,
        querystring: EmptyQuery,
        body: ref(CreateDefinition),
        response: createResponseSchemas(201, ref(IntegrationDefinition), 'The definition.'),
      },
      handler: async (request, reply) =>
        reply.code(201).send(await createDefinition(deps, getCaller(request), request.body)),
    })

    app.post('/v1/integration_definition/:integrationDefinitionId/icon', {
      config: { scope: 'definitions:write' },
      schema: {
        operationId: 'setDefinitionIcon',
        summary: 'Set the icon of an integration definition',
        description:
          'Sets or removes the icon of a definition in one workspace. A catalogue definition keeps its own icon in other workspaces, and gets it back when the icon is removed.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(SetDefinitionIcon),
        response: createResponseSchemas(200, ref(IntegrationDefinition), 'The definition.'),
      },
      handler: async (request) =>
        setDefinitionIcon(
          deps,
          getCaller(request),
          request.params.integrationDefinitionId,
          request.body,
        ),
    })

    app.delete('/v1/integration_definition/:integrationDefinitionId', {
      config: { scope: 'definitions:write' },
      schema: {
        operationId: 'deleteDefinition',
        summary: 'Delete an integration definition',
        description:
          'Marks the definition as deleted and frees its key. Fails while live accounts use it.',
        tags,
        params,
        querystring: EmptyQuery,
        response: createResponseSchemas(200, ref(IntegrationDefinition), 'Its tombstone.'),
      },
      handler: async (request) =>
        deleteDefinition(deps, getCaller(request), request.params.integrationDefinitionId),
    })
  }
}
