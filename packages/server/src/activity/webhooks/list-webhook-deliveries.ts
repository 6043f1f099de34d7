import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { fieldError, invalidParameter } from '../../platform/errors.ts'
import { buildNextPageHeader } from '../../platform/http/pagination.ts'
import { listOf, StrictObject, Timestamp } from '../../platform/http/schema.ts'
import type { DeliveryListStore, DeliveryPosition } from './delivery-list-store.ts'
import { serializeDelivery, WebhookDelivery } from './delivery-schemas.ts'
import { type GetWebhookEndpointDeps, requireWebhookEndpoint } from './get-webhook-endpoint.ts'
import { WebhookEndpointParams } from './schemas.ts'
import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryState,
  type WebhookEndpoint,
  type WebhookEndpointId,
} from './webhook-endpoint.ts'

export const ListWebhookDeliveriesQuery = StrictObject({
  state: Type.Optional(
    Type.Unsafe<DeliveryState>({
      type: 'string',
      enum: [...DELIVERY_STATES],
      description: 'Only deliveries in this state.',
    }),
  ),
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

export interface ListWebhookDeliveriesDeps extends GetWebhookEndpointDeps {
  readonly deliveryLists: DeliveryListStore
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
  const before = query.cursor === undefined ? undefined : decodeCursor(query.cursor)
  const endpoint = await requireWebhookEndpoint(deps, caller, endpointId)
  const { found, next } = await readPage(deps, caller, endpoint, before, query)
  return { deliveries: found.map(serializeDelivery), cursor: next && encodeCursor(next) }
}

async function readPage(
  { deliveryLists }: ListWebhookDeliveriesDeps,
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

function encodeCursor({ sequence, round }: DeliveryPosition): string {
  return Buffer.from(`${sequence}.${round}`).toString('base64url')
}

function decodeCursor(cursor: string): DeliveryPosition {
  const match = /^(\d{1,15})\.(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (match === null)
    throw invalidParameter(
      fieldError('cursor', 'invalid', 'Must be a cursor from the Link header of this list.'),
    )
  return { sequence: Number(match[1]), round: Number(match[2]) }
}
