import { createWebhookEndpointOperation } from './create-webhook-endpoint.ts'
import { deleteWebhookEndpointOperation } from './delete-webhook-endpoint.ts'
import { getWebhookDeliveryOperation } from './get-webhook-delivery.ts'
import { getWebhookEndpointOperation } from './get-webhook-endpoint.ts'
import { listWebhookDeliveriesOperation } from './list-webhook-deliveries.ts'
import { listWebhookEndpointsOperation } from './list-webhook-endpoints.ts'
import { replayWebhookEventsOperation } from './replay-webhook-events.ts'
import { rotateWebhookSecretOperation } from './rotate-webhook-secret.ts'
import { testWebhookEndpointOperation } from './test-webhook-endpoint.ts'
import { updateWebhookEndpointOperation } from './update-webhook-endpoint.ts'

export const WEBHOOK_OPERATIONS = [
  createWebhookEndpointOperation,
  listWebhookEndpointsOperation,
  getWebhookEndpointOperation,
  updateWebhookEndpointOperation,
  deleteWebhookEndpointOperation,
  rotateWebhookSecretOperation,
  testWebhookEndpointOperation,
  listWebhookDeliveriesOperation,
  getWebhookDeliveryOperation,
  replayWebhookEventsOperation,
]
