import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { notFound } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import {
  serializeWebhookEndpoint,
  WebhookEndpointParams,
  WebhookEndpointResponse,
} from './schemas.ts'
import type { WebhookEndpoint, WebhookEndpointId } from './webhook-endpoint.ts'
import type { WebhookEndpointStore } from './webhook-endpoint-store.ts'

export interface GetWebhookEndpointDeps {
  readonly database: Database
  readonly webhookEndpoints: WebhookEndpointStore
}

export const getWebhookEndpointOperation = defineOperation({
  id: 'getWebhookEndpoint',
  sdk: 'webhookEndpoints.get',
  method: 'GET',
  path: '/v1/webhook_endpoint/:webhookEndpointId',
  tag: 'Webhooks',
  summary: 'Get a webhook endpoint',
  description: 'Returns its settings and its state, without its secret.',
  scope: 'read',
  params: WebhookEndpointParams,
  response: WebhookEndpointResponse,
  returns: 'The endpoint.',
  errors: ['webhook_endpoint_not_found'],
  handle: (deps: GetWebhookEndpointDeps, caller, { params }) =>
    getWebhookEndpoint(deps, caller, params.webhookEndpointId),
})

/** An endpoint, without its secrets. @throws ApiError `webhook_endpoint_not_found` */
export async function getWebhookEndpoint(
  deps: GetWebhookEndpointDeps,
  access: WorkspaceAccess,
  endpointId: WebhookEndpointId,
): Promise<WebhookEndpointResponse> {
  return serializeWebhookEndpoint(await requireWebhookEndpoint(deps, access, endpointId))
}

/** The endpoint with this id. @throws ApiError `webhook_endpoint_not_found` */
export async function requireWebhookEndpoint(
  { database, webhookEndpoints }: GetWebhookEndpointDeps,
  access: WorkspaceAccess,
  endpointId: WebhookEndpointId,
): Promise<WebhookEndpoint> {
  const endpoint = isId('whe', endpointId)
    ? await webhookEndpoints.find(database.read, access, endpointId)
    : undefined
  if (endpoint === undefined) throw notFound('webhook_endpoint')
  return endpoint
}
