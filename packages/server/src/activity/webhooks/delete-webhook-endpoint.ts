import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { notFound } from '../../platform/errors.ts'
import { record } from '../../platform/record/record-store.ts'
import { type GetWebhookEndpointDeps, requireWebhookEndpoint } from './get-webhook-endpoint.ts'
import {
  serializeWebhookEndpoint,
  WebhookEndpointParams,
  WebhookEndpointResponse,
} from './schemas.ts'
import type { WebhookEndpointId } from './webhook-endpoint.ts'

export interface DeleteWebhookEndpointDeps extends GetWebhookEndpointDeps {
  readonly now: () => number
}

export const deleteWebhookEndpointOperation = defineOperation({
  id: 'deleteWebhookEndpoint',
  sdk: 'webhookEndpoints.delete',
  method: 'DELETE',
  path: '/v1/webhook_endpoint/:webhookEndpointId',
  tag: 'Webhooks',
  summary: 'Delete a webhook endpoint',
  description: 'Nothing is sent to it anymore. Returns its last state.',
  scope: 'webhooks',
  params: WebhookEndpointParams,
  response: WebhookEndpointResponse,
  returns: 'The deleted endpoint.',
  errors: ['webhook_endpoint_not_found'],
  audit: 'webhook_endpoint.deleted',
  handle: (deps: DeleteWebhookEndpointDeps, caller, { params }) =>
    deleteWebhookEndpoint(deps, caller, params.webhookEndpointId),
})

/**
 * Deletes an endpoint and returns its last state. Nothing is sent to it anymore; its deliveries are deleted in the
 * background.
 *
 * @throws ApiError `webhook_endpoint_not_found`
 */
export async function deleteWebhookEndpoint(
  deps: DeleteWebhookEndpointDeps,
  caller: Caller,
  endpointId: WebhookEndpointId,
): Promise<WebhookEndpointResponse> {
  const endpoint = await requireWebhookEndpoint(deps, caller, endpointId)
  const now = deps.now()
  await deps.database.transaction(async (trx) => {
    if (!(await deps.webhookEndpoints.remove(trx, caller, endpointId, now)))
      throw notFound('webhook_endpoint')
    await record(trx, caller, now, {
      action: 'webhook_endpoint.deleted',
      workspaceId: endpoint.workspaceId,
      subject: endpointId,
    })
  })
  return serializeWebhookEndpoint(endpoint)
}
