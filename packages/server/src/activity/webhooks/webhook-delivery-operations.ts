import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { notFound } from '../../platform/errors.ts'
import {
  buildNextPageHeader,
  decodeCursor,
  encodeCursor,
  type TakeTurn,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, OneOf, StrictObject, Timestamp } from '../../platform/http/schema.ts'
import { isId } from '../../platform/storage/id.ts'
import type { EventId } from '../events/event.ts'
import { DELIVERY, DELIVERY_FAILURE, DELIVERY_STATES, type Delivery } from './delivery.ts'
import type { DeliveryListStore, DeliveryPosition } from './delivery-store.ts'
import { WebhookEndpointParams } from './schemas.ts'
import type { WebhookEndpoint, WebhookEndpointId } from './webhook-endpoint.ts'
import {
  type GetWebhookEndpointDeps,
  requireWebhookEndpoint,
} from './webhook-endpoint-operations.ts'

/** An event on its way to an endpoint. */
const WebhookDelivery = StrictObject(DELIVERY.schemas, {
  $id: 'WebhookDelivery',
  examples: [DELIVERY.example],
})
type WebhookDelivery = Static<typeof WebhookDelivery>

/** A delivery and the attempts that failed. */
const WebhookDeliveryDetails = StrictObject(
  {
    ...DELIVERY.schemas,
    failures: Type.Array(StrictObject(DELIVERY_FAILURE.schemas), {
      description: 'The last 100 attempts that failed, in all rounds, the newest first.',
    }),
  },
  {
    $id: 'WebhookDeliveryDetails',
    examples: [{ ...DELIVERY.example, failures: [DELIVERY_FAILURE.example] }],
  },
)
type WebhookDeliveryDetails = Static<typeof WebhookDeliveryDetails>

function serializeDelivery(delivery: Delivery): WebhookDelivery {
  const response = DELIVERY.serialize(delivery)
  return delivery.state === 'pending' ? response : { ...response, nextAttemptAt: null }
}

export const ListWebhookDeliveriesQuery = StrictObject({
  state: Type.Optional(OneOf(DELIVERY_STATES, 'Only deliveries in this state.')),
  type: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only deliveries of this type of event.' }),
  ),
  since: Type.Optional(Timestamp('Only deliveries that were created at this time or later.')),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: 'Maximum number of deliveries. Default: 100.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'The cursor of the page, from the `Link` header of the previous one.',
    }),
  ),
})
export type ListWebhookDeliveriesQuery = Static<typeof ListWebhookDeliveriesQuery>

interface ListWebhookDeliveriesDeps extends GetWebhookEndpointDeps {
  readonly deliveryLists: DeliveryListStore
  readonly takeTurn: TakeTurn
  readonly baseUrl: () => string
}

export const listWebhookDeliveriesOperation = defineOperation({
  id: 'listWebhookDeliveries',
  sdk: 'webhookEndpoints.listDeliveries',
  method: 'GET',
  path: '/v1/webhook_endpoint/:webhookEndpointId/delivery',
  tag: 'Webhooks',
  summary: 'List the deliveries to a webhook endpoint',
  description:
    'The newest events first. The `Link` header has the next page; with `type` or `since`, a page may have fewer deliveries than `limit`.',
  scope: 'read',
  params: WebhookEndpointParams,
  query: ListWebhookDeliveriesQuery,
  response: listOf(WebhookDelivery),
  returns: 'The newest events first.',
  errors: ['webhook_endpoint_not_found'],
  handle: async (deps: ListWebhookDeliveriesDeps, caller, { params, query }, reply) => {
    const id = params.webhookEndpointId
    const { deliveries, cursor } = await listWebhookDeliveries(deps, caller, id, query)
    const url = reply.request.originalUrl
    if (cursor) reply.header('link', buildNextPageHeader(deps.baseUrl(), url, { cursor }))
    return deliveries
  },
})

/**
 * The deliveries to an endpoint, the newest events first. A page may be empty although another one follows: a request
 * reads a limited number of deliveries.
 *
 * @throws ApiError `webhook_endpoint_not_found`, `invalid_parameter`
 */
export async function listWebhookDeliveries(
  deps: ListWebhookDeliveriesDeps,
  caller: Caller,
  endpointId: WebhookEndpointId,
  query: ListWebhookDeliveriesQuery,
): Promise<{ deliveries: WebhookDelivery[]; cursor: string | undefined }> {
  const before = query.cursor === undefined ? undefined : parseCursor(query.cursor)
  const endpoint = await requireWebhookEndpoint(deps, caller, endpointId)
  const { found, next } = await readPage(deps, caller, endpoint, before, query)
  return {
    deliveries: found.map(serializeDelivery),
    cursor: next && encodeCursor(next.sequence, next.round),
  }
}

async function readPage(
  { deliveryLists, takeTurn }: ListWebhookDeliveriesDeps,
  caller: Caller,
  endpoint: WebhookEndpoint,
  before: DeliveryPosition | undefined,
  { state, type, since, limit = 100 }: ListWebhookDeliveriesQuery,
): Promise<{ found: Delivery[]; next: DeliveryPosition | undefined }> {
  const from = since === undefined ? 0 : Date.parse(since)
  const isWanted = (delivery: Delivery) =>
    (type === undefined || delivery.type === type) && delivery.createdAt >= from
  const found: Delivery[] = []
  let position = before
  for (let count = 0; count < MAX_WINDOWS; count += 1) {
    await takeTurn()
    const window = await deliveryLists.list(caller, endpoint, position, { state, limit: WINDOW })
    for (const delivery of window) {
      if (isWanted(delivery)) found.push(delivery)
      position = delivery
      if (found.length === limit && (delivery !== window.at(-1) || window.length === WINDOW))
        return { found, next: position }
    }
    if (window.length < WINDOW) return { found, next: undefined }
  }
  return { found, next: position }
}

const WINDOW = 1_000
const MAX_WINDOWS = 10

function parseCursor(cursor: string): DeliveryPosition {
  const [sequence, round] = decodeCursor(cursor, /^(\d{1,15})\.(\d{1,9})$/)
  return { sequence: Number(sequence), round: Number(round) }
}

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
  return { ...serializeDelivery(last), failures: failures.map(DELIVERY_FAILURE.serialize) }
}

const MAX_FAILURES = 100
