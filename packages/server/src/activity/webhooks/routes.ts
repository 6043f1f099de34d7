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
import { type CreateWebhookEndpointDeps, createWebhookEndpoint } from './create-webhook-endpoint.ts'
import { deleteWebhookEndpoint } from './delete-webhook-endpoint.ts'
import { type DeliveryRoutesDeps, deliveryRoutes } from './delivery-routes.ts'
import { getWebhookEndpoint } from './get-webhook-endpoint.ts'
import { listWebhookEndpoints } from './list-webhook-endpoints.ts'
import { RotateWebhookSecret, rotateWebhookSecret } from './rotate-webhook-secret.ts'
import {
  CreateWebhookEndpoint,
  NewWebhookEndpoint,
  UpdateWebhookEndpoint,
  WebhookEndpointResponse,
} from './schemas.ts'
import {
  TestWebhookEndpoint,
  type TestWebhookEndpointDeps,
  testWebhookEndpoint,
  WebhookTestResult,
} from './test-webhook-endpoint.ts'
import { type UpdateWebhookEndpointDeps, updateWebhookEndpoint } from './update-webhook-endpoint.ts'
import type { WebhookEndpointId } from './webhook-endpoint.ts'

const tags = ['Webhooks']
const params = Type.Object({
  webhookEndpointId: IdOf<WebhookEndpointId>({ description: 'Identifier of the endpoint.' }),
})

export interface WebhookRoutesDeps
  extends CreateWebhookEndpointDeps,
    UpdateWebhookEndpointDeps,
    TestWebhookEndpointDeps,
    DeliveryRoutesDeps {
  readonly baseUrl: () => string
}

/** `/v1/webhook_endpoint` */
export function webhookRoutes(deps: WebhookRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    await app.register(endpointRoutes(deps))
    await app.register(secretRoutes(deps))
    await app.register(deliveryRoutes(deps))
  }
}

function endpointRoutes(deps: WebhookRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/webhook_endpoint', {
      config: { scope: 'webhooks', returnsSecret: true },
      schema: {
        operationId: 'createWebhookEndpoint',
        summary: 'Create a webhook endpoint',
        description:
          'It receives the events of the workspace from now on. Its secret is returned only here. A workspace has at most 100.',
        tags,
        querystring: EmptyQuery,
        body: ref(CreateWebhookEndpoint),
        response: createResponseSchemas(201, ref(NewWebhookEndpoint), 'The endpoint.'),
      },
      handler: async (request, reply) =>
        reply.code(201).send(await createWebhookEndpoint(deps, getCaller(request), request.body)),
    })

    app.get('/v1/webhook_endpoint', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listWebhookEndpoints',
        summary: 'List the webhook endpoints of a workspace',
        description:
          'Oldest first. Paginate with `limit` and `cursor`; the `Link` header has the next page.',
        tags,
        querystring: StrictObject({
          workspaceId: Type.Optional(
            IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
          ),
          ...PaginationQuery,
        }),
        response: createResponseSchemas(200, listOf(WebhookEndpointResponse), 'Oldest first.'),
      },
      handler: async (request, reply) => {
        const { endpoints, next } = await listWebhookEndpoints(
          deps,
          getCaller(request),
          request.query,
        )
        if (next)
          reply.header('link', buildNextLinkHeader(deps.baseUrl(), request.originalUrl, next))
        return endpoints
      },
    })

    app.get('/v1/webhook_endpoint/:webhookEndpointId', {
      config: { scope: 'read' },
      schema: {
        operationId: 'getWebhookEndpoint',
        summary: 'Get a webhook endpoint',
        description: 'Returns its settings and its state, without its secret.',
        tags,
        params,
        querystring: EmptyQuery,
        response: createResponseSchemas(200, ref(WebhookEndpointResponse), 'The endpoint.'),
      },
      handler: async (request) =>
        getWebhookEndpoint(deps, getCaller(request), request.params.webhookEndpointId),
    })

    app.post('/v1/webhook_endpoint/:webhookEndpointId', {
      config: { scope: 'webhooks' },
      schema: {
        operationId: 'updateWebhookEndpoint',
        summary: 'Update a webhook endpoint',
        description:
          'Changes the given fields. `"paused": false` starts a paused, failing or disabled endpoint; `replay` says which events are sent again. A `url` of another origin requires `headers` again, if the endpoint has any; otherwise the response is 403 `secret_required`.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(UpdateWebhookEndpoint),
        response: createResponseSchemas(200, ref(WebhookEndpointResponse), 'The endpoint.'),
      },
      handler: async (request) => {
        const { params, body } = request
        return updateWebhookEndpoint(deps, getCaller(request), params.webhookEndpointId, body)
      },
    })

    app.delete('/v1/webhook_endpoint/:webhookEndpointId', {
      config: { scope: 'webhooks' },
      schema: {
        operationId: 'deleteWebhookEndpoint',
        summary: 'Delete a webhook endpoint',
        description: 'Nothing is sent to it anymore. Returns its last state.',
        tags,
        params,
        querystring: EmptyQuery,
        response: createResponseSchemas(200, ref(WebhookEndpointResponse), 'The deleted endpoint.'),
      },
      handler: async (request) =>
        deleteWebhookEndpoint(deps, getCaller(request), request.params.webhookEndpointId),
    })
  }
}

function secretRoutes(deps: WebhookRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/webhook_endpoint/:webhookEndpointId/rotate', {
      config: { scope: 'webhooks', optionalBody: true, returnsSecret: true },
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the secret of a webhook endpoint',
        description:
          'Returns a new secret. The former one signs deliveries too for `overlapSeconds`.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(RotateWebhookSecret),
        response: createResponseSchemas(200, ref(NewWebhookEndpoint), 'The endpoint.'),
      },
      handler: async (request) => {
        const { params, body } = request
        return rotateWebhookSecret(deps, getCaller(request), params.webhookEndpointId, body)
      },
    })

    app.post('/v1/webhook_endpoint/:webhookEndpointId/test', {
      config: { scope: 'webhooks', ignoresIdempotencyKey: true, optionalBody: true },
      schema: {
        operationId: 'testWebhookEndpoint',
        summary: 'Send an example event to a webhook endpoint',
        description:
          'Sends it at once, whatever the state of the endpoint, and returns the response. The event has the sequence number 0; it is neither stored nor retried.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(TestWebhookEndpoint),
        response: createResponseSchemas(200, ref(WebhookTestResult), 'What the endpoint answered.'),
      },
      handler: async (request) => {
        const { params, body } = request
        return testWebhookEndpoint(deps, getCaller(request), params.webhookEndpointId, body)
      },
    })
  }
}
