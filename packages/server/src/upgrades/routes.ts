import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../auth/authenticate-requests.ts'
import { ExtendedIntegrationDefinition } from '../definitions/definition.ts'
import { EmptyQuery, ref, responseSchemas, StrictObject } from '../http/schema.ts'
import { DefinitionPreview } from './preview/definition-preview.ts'
import {
  getDefinitionPreview,
  type PreviewDefinitionDeps,
  previewDefinition,
} from './preview/preview-definition.ts'
import { rollbackDefinition } from './rollback-definition.ts'
import { upgradeDefinition } from './upgrade-definition.ts'
import { RollbackDefinition, UpgradeDefinition } from './upgrade-requests.ts'

const tags = ['Integration definitions']
const id = {
  integrationDefinitionId: Type.String({
    description: 'Identifier of the integration definition.',
  }),
}
const params = Type.Object(id)
const workspaceId = Type.Optional(
  Type.String({ maxLength: 64, description: 'Workspace identifier.' }),
)

/** Versions of `/v1/integration_definition/{integrationDefinitionId}` */
export function upgradeRoutes(deps: PreviewDefinitionDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.addHook('onClose', () => deps.previewTasks.stop())

    app.post('/v1/integration_definition/:integrationDefinitionId', {
      config: { scope: 'definitions:write', optionalBody: true },
      schema: {
        operationId: 'upgradeDefinition',
        summary: 'Move an integration definition to another version',
        description:
          'Downloads the bundle and asks it for its spec; from then on this workspace runs it. A definition of the catalogue moves to the `version` that is named, else to the latest; a custom one to what is at `sourceUrl`. What ran before is kept for a rollback, and accounts stay.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(UpgradeDefinition),
        response: responseSchemas(200, ref(ExtendedIntegrationDefinition), 'The definition.'),
      },
      handler: async (request) =>
        upgradeDefinition(
          deps,
          getCaller(request),
          request.params.integrationDefinitionId,
          request.body ?? {},
        ),
    })

    app.post('/v1/integration_definition/:integrationDefinitionId/rollback', {
      config: { scope: 'definitions:write', optionalBody: true },
      schema: {
        operationId: 'rollbackDefinition',
        summary: 'Go back to the version that ran before',
        description:
          'Back to the version before the last upgrade, or to the `version` that is named, if this workspace ran it. Its bytes were kept.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(RollbackDefinition),
        response: responseSchemas(200, ref(ExtendedIntegrationDefinition), 'The definition.'),
      },
      handler: async (request) =>
        rollbackDefinition(
          deps,
          getCaller(request),
          request.params.integrationDefinitionId,
          request.body ?? {},
        ),
    })

    app.post('/v1/integration_definition/:integrationDefinitionId/preview', {
      config: { scope: 'definitions:write', optionalBody: true },
      schema: {
        operationId: 'previewDefinition',
        summary: 'Tell what an upgrade would do',
        description:
          'Compares the specs, and runs the check of the new version with what is stored of the accounts. Changes nothing and renews nothing. While `state` is `running`, the rest is tried in the background: get the preview again.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(UpgradeDefinition),
        response: responseSchemas(200, ref(DefinitionPreview), 'What is known by now.'),
      },
      handler: async (request) =>
        previewDefinition(
          deps,
          getCaller(request),
          request.params.integrationDefinitionId,
          request.body ?? {},
        ),
    })

    app.get('/v1/integration_definition/:integrationDefinitionId/preview/:previewId', {
      config: { scope: 'read' },
      schema: {
        operationId: 'getDefinitionPreview',
        summary: 'Get a preview of an upgrade',
        description: 'Previews are kept for an hour.',
        tags,
        params: Type.Object({
          ...id,
          previewId: Type.String({ description: 'Identifier of the preview.' }),
        }),
        querystring: StrictObject({ workspaceId }),
        response: responseSchemas(200, ref(DefinitionPreview), 'What is known by now.'),
      },
      handler: async (request) =>
        getDefinitionPreview(
          deps,
          getCaller(request),
          request.params.integrationDefinitionId,
          request.params.previewId,
          request.query,
        ),
    })
  }
}
