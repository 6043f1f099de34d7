import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import type { LargeBodies } from '../../access/auth/large-bodies.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import {
  definitionInPath,
  ExtendedIntegrationDefinition,
} from '../../integrations/definitions/schemas.ts'
import { BUNDLE_BODY_LIMIT, BUNDLE_MEMBER } from '../../integrations/definitions/uploaded-bundle.ts'
import {
  createResponseSchemas,
  EmptyQuery,
  IdOf,
  ref,
  StrictObject,
} from '../../platform/http/schema.ts'
import { getDefinitionPreview } from './preview/get-definition-preview.ts'
import { type PreviewDefinitionDeps, previewDefinition } from './preview/preview-definition.ts'
import { rollbackDefinition } from './rollback-definition.ts'
import {
  DefinitionPreview,
  type PreviewId,
  RollbackDefinition,
  UpgradeDefinitionRequest,
} from './schemas.ts'
import { upgradeDefinition } from './upgrade-definition.ts'

const tags = ['Integration definitions']
const id = {
  integrationDefinitionId: definitionInPath,
}
const params = Type.Object(id)
const workspaceId = Type.Optional(
  IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
)

interface UpgradeRoutesDeps extends PreviewDefinitionDeps {
  readonly largeBodies: LargeBodies
}

/** Version operations below `/v1/integration_definition/{integrationDefinitionId}` */
export function upgradeRoutes(deps: UpgradeRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.addHook('onClose', () => deps.previewTasks.stop())

    app.post('/v1/integration_definition/:integrationDefinitionId', {
      config: {
        scope: 'definitions:write',
        optionalBody: true,
        rate: 'bundle',
        longMember: BUNDLE_MEMBER,
      },
      bodyLimit: BUNDLE_BODY_LIMIT,
      preParsing: deps.largeBodies.admitRequest,
      schema: {
        operationId: 'upgradeDefinition',
        summary: 'Upgrade an integration definition',
        description:
          'Downloads the bundle and runs it to get its spec; from then on the workspace uses this version. A catalogue definition changes to the given `version`, or to the latest; a custom one to the content of `sourceUrl`. The previous version is stored for a rollback. Accounts are not changed.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(UpgradeDefinitionRequest),
        response: createResponseSchemas(200, ref(ExtendedIntegrationDefinition), 'The definition.'),
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
        summary: 'Roll back an integration definition',
        description:
          'Changes back to the version before the last upgrade, or to the given `version` if this workspace has run it. Uses the stored bytes.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(RollbackDefinition),
        response: createResponseSchemas(200, ref(ExtendedIntegrationDefinition), 'The definition.'),
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
      config: {
        scope: 'definitions:write',
        optionalBody: true,
        rate: 'bundle',
        longMember: BUNDLE_MEMBER,
      },
      bodyLimit: BUNDLE_BODY_LIMIT,
      preParsing: deps.largeBodies.admitRequest,
      schema: {
        operationId: 'previewDefinition',
        summary: 'Preview an upgrade',
        description:
          'Compares the specs and runs the check of the new version with the stored credentials. Changes and refreshes nothing. While `state` is `running`, the checks continue in the background: get the preview again.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(UpgradeDefinitionRequest),
        response: createResponseSchemas(
          200,
          ref(DefinitionPreview),
          'The current state of the preview.',
        ),
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
        description: 'Previews are stored for an hour.',
        tags,
        params: Type.Object({
          ...id,
          previewId: IdOf<PreviewId>({ description: 'ID of the preview.' }),
        }),
        querystring: StrictObject({ workspaceId }),
        response: createResponseSchemas(
          200,
          ref(DefinitionPreview),
          'The current state of the preview.',
        ),
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
