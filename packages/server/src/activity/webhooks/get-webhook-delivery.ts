import Type from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { notFound } from '../../platform/errors.ts'
import { IdOf } from '../../platform/http/schema.ts'
import { isId } from '../../platform/storage/id.ts'
import type { EventId } from '../events/event.ts'
import { serializeDeliveryDetails, WebhookDeliveryDetails } from './delivery-schemas.ts'
import { requireWebhookEndpoint } from './get-webhook-endpoint.ts'
import type { ListWebhookDeliveriesDeps } from './list-webhook-deliveries.ts'
import { WebhookEndpointParams } from './schemas.ts'
import type { WebhookEndpointId } from './webhook-endpoint.ts'

export const getWebhookDeliveryOperation = defineOperation({
  id: 'getWebhookDelivery',
  sdk: 'webhookEndpoints.getDelivery',
  method: 'GET',
  path: '/v1/webhook_endpoint/:webhookEndpointId/delivery/:eventId',
  tag: 'Webhooks',
  summary: 'Get the delivery of an event to a webhook endpoint',
  description: 'Returns the last delivery of the event, with the attempts that failed.',
  scope: 'read',
  params: Type.Object({
    ...WebhookEndpointParams.properties,
    eventId: IdOf<EventId>({ description: 'Identifier of the event.' }),
  }),
  response: WebhookDeliveryDetails,
  returns: 'The delivery.',
  errors: ['webhook_endpoint_not_found', 'event_not_found'],
  handle: (deps: ListWebhookDeliveriesDeps, caller, { params }) =>
    getWebhookDelivery(deps, caller, params.webhookEndpointId, params.eventId),
})

/**
 * The last delivery of an event to an endpoint, with the attempts that failed.
 *
 * @throws ApiError `webhook_endpoint_not_found`; `event_not_found` if there is no delivery of this event
 */
export async function getWebhookDelivery(
  deps: ListWebhookDeliveriesDeps,
  caller: Caller,
  endpointId: WebhookEndpointId,
  eventId: EventId,
): Promise<WebhookDeliveryDetails> {
  const endpoint = await requireWebhookEndpoint(deps, caller, endpointId)
  const { deliveryLists } = deps
  const [last] = isId('evt', eventId)
    ? await deliveryLists.listOfEvent(caller, endpoint, eventId, 1)
    : []
  if (last === undefined) throw notFound('event')
  const failures = await deliveryLists.listFailures(caller, endpoint, last.sequence, MAX_FAILURES)
  return serializeDeliveryDetails(last, failures)
}

const MAX_FAILURES = 100
