import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import { createResponseSchemas, EmptyQuery, IdOf, listOf, ref } from '../../platform/http/schema.ts'
import type { EventId } from '../events/event.ts'
import { WebhookDelivery, WebhookDeliveryDetails } from './delivery-schemas.ts'
import { getWebhookDelivery } from './get-webhook-delivery.ts'
import {
  type ListWebhookDeliveriesDeps,
  ListWebhookDeliveriesQuery,
  listWebhookDeliveries,
} from './list-webhook-deliveries.ts'
import {
  QueuedReplay,
  ReplayWebhookEvents,
  type ReplayWebhookEventsDeps,
  replayWebhookEvents,
} from './replay-webhook-events.ts'
import type { WebhookEndpointId } from './webhook-endpoint.ts'

const tags = ['Webhooks']
const webhookEndpointId = IdOf<WebhookEndpointId>({ description: 'Identifier of the endpoint.' })
const eventId = IdOf<EventId>({ description: 'Identifier of the event.' })

export interface DeliveryRoutesDeps extends ListWebhookDeliveriesDeps, ReplayWebhookEventsDeps {
  readonly baseUrl: () => string
}

/** The deliveries to an endpoint. */
export function deliveryRoutes(deps: DeliveryRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/v1/webhook_endpoint/:webhookEndpointId/delivery', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'List the deliveries to a webhook endpoint',
        description:
          'The newest events first. The `Link` header has the next page; with `type` or `since`, a page may have fewer deliveries than `limit`.',
        tags,
        params: Type.Object({ webhookEndpointId }),
        querystring: ListWebhookDeliveriesQuery,
        response: createResponseSchemas(200, listOf(WebhookDelivery), 'The newest events first.'),
      },
      handler: async (request, reply) => {
        const { params, query, originalUrl } = request
        const id = params.webhookEndpointId
        const { deliveries, cursor } = await listWebhookDeliveries(
          deps,
          getCaller(request),
          id,
          query,
        )
        if (cursor) reply.header('link', buildNextLink(deps.baseUrl(), originalUrl, cursor))
        return deliveries
      },
    })

    app.get('/v1/webhook_endpoint/:webhookEndpointId/delivery/:eventId', {
      config: { scope: 'read' },
      schema: {
        operationId: 'getWebhookDelivery',
        summary: 'Get the delivery of an event to a webhook endpoint',
        description: 'Returns the last delivery of the event, with the attempts that failed.',
        tags,
        params: Type.Object({ webhookEndpointId, eventId }),
        querystring: EmptyQuery,
        response: createResponseSchemas(200, ref(WebhookDeliveryDetails), 'The delivery.'),
      },
      handler: async (request) => {
        const { webhookEndpointId, eventId } = request.params
        return getWebhookDelivery(deps, getCaller(request), webhookEndpointId, eventId)
      },
    })

    app.post('/v1/webhook_endpoint/:webhookEndpointId/replay', {
      config: { scope: 'webhooks' },
      schema: {
        operationId: 'replayWebhookEvents',
        summary: 'Send events to a webhook endpoint again',
        description:
          'Send one of `eventIds`, `since` with `until`, or `failed`: true. Events that happen meanwhile come first. Events that are on their way are not counted.',
        tags,
        params: Type.Object({ webhookEndpointId }),
        querystring: EmptyQuery,
        body: ref(ReplayWebhookEvents),
        response: createResponseSchemas(200, ref(QueuedReplay), 'How many events were queued.'),
      },
      handler: async (request) => {
        const { params, body } = request
        return replayWebhookEvents(deps, getCaller(request), params.webhookEndpointId, body)
      },
    })
  }
}

function buildNextLink(baseUrl: string, url: string, cursor: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const searchParams = new URLSearchParams(query)
  searchParams.set('cursor', cursor)
  return `<${baseUrl}${path}?${searchParams}>; rel="next"`
}
