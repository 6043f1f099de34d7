import { replayWebhookEventsOperation } from './replay-webhook-events.ts'
import { rotateWebhookSecretOperation } from './rotate-webhook-secret.ts'
import { testWebhookEndpointOperation } from './test-webhook-endpoint.ts'
import { updateWebhookEndpointOperation } from './update-webhook-endpoint.ts'
import {
  getWebhookDeliveryOperation,
  listWebhookDeliveriesOperation,
} from './webhook-delivery-operations.ts'
import {
  createWebhookEndpointOperation,
  deleteWebhookEndpointOperation,
  getWebhookEndpointOperation,
  listWebhookEndpointsOperation,
} from './webhook-endpoint-operations.ts'

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
