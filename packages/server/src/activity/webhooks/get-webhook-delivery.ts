import type { Caller } from '../../access/auth/caller.ts'
import { notFound } from '../../platform/errors.ts'
import { isId } from '../../platform/storage/id.ts'
import type { EventId } from '../events/event.ts'
import { serializeDeliveryDetails, type WebhookDeliveryDetails } from './delivery-schemas.ts'
import { requireWebhookEndpoint } from './get-webhook-endpoint.ts'
import type { ListWebhookDeliveriesDeps } from './list-webhook-deliveries.ts'
import type { WebhookEndpointId } from './webhook-endpoint.ts'

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
