import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { notFound } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import { serializeWebhookEndpoint, type WebhookEndpointResponse } from './schemas.ts'
import type { WebhookEndpoint, WebhookEndpointId } from './webhook-endpoint.ts'
import type { WebhookEndpointStore } from './webhook-endpoint-store.ts'

export interface GetWebhookEndpointDeps {
  readonly database: Database
  readonly webhookEndpoints: WebhookEndpointStore
}

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
