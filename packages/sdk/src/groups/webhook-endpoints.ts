import type {
  CreateWebhookEndpoint,
  ListWebhookDeliveriesQuery,
  ListWebhookEndpointsQuery,
  NewWebhookEndpoint,
  QueuedReplay,
  ReplayWebhookEvents,
  RotateWebhookSecret,
  TestWebhookEndpoint,
  UpdateWebhookEndpoint,
  WebhookDelivery,
  WebhookDeliveryDetails,
  WebhookEndpoint,
  WebhookTestResult,
} from '../api-types.ts'
import { Group } from '../group.ts'
import type { List } from '../list.ts'
import { path } from '../path.ts'
import type { RequestOptions } from '../send.ts'

/** URLs that receive the events of a workspace. */
export class WebhookEndpoints extends Group {
  /** Creates an endpoint. Only this response has the `secret`. */
  create(body: CreateWebhookEndpoint, options?: RequestOptions): Promise<NewWebhookEndpoint> {
    return this.sendPost('/webhook_endpoint', body, options)
  }

  /** Returns an endpoint with its state. */
  get(webhookEndpointId: string, options?: RequestOptions): Promise<WebhookEndpoint> {
    return this.sendGet(path`/webhook_endpoint/${webhookEndpointId}`, undefined, options)
  }

  /** The endpoints of a workspace, oldest first. */
  list(query?: ListWebhookEndpointsQuery, options?: RequestOptions): List<WebhookEndpoint> {
    return this.listPages('/webhook_endpoint', query, options)
  }

  /** Changes an endpoint; `paused: false` enables it again. */
  update(
    webhookEndpointId: string,
    body?: UpdateWebhookEndpoint,
    options?: RequestOptions,
  ): Promise<WebhookEndpoint> {
    return this.sendPost(path`/webhook_endpoint/${webhookEndpointId}`, body, options)
  }

  /** Deletes an endpoint with its deliveries. */
  delete(webhookEndpointId: string, options?: RequestOptions): Promise<WebhookEndpoint> {
    return this.sendDelete(path`/webhook_endpoint/${webhookEndpointId}`, undefined, options)
  }

  /** Returns a new secret; the former one signs too, for a day unless `overlapSeconds` says otherwise. */
  rotateSecret(
    webhookEndpointId: string,
    body?: RotateWebhookSecret,
    options?: RequestOptions,
  ): Promise<NewWebhookEndpoint> {
    return this.sendPost(path`/webhook_endpoint/${webhookEndpointId}/rotate`, body, options)
  }

  /** Sends an example event and reports the response. */
  test(
    webhookEndpointId: string,
    body?: TestWebhookEndpoint,
    options?: RequestOptions,
  ): Promise<WebhookTestResult> {
    return this.sendPost(path`/webhook_endpoint/${webhookEndpointId}/test`, body, options)
  }

  /** The deliveries of an endpoint, the newest events first. */
  listDeliveries(
    webhookEndpointId: string,
    query?: ListWebhookDeliveriesQuery,
    options?: RequestOptions,
  ): List<WebhookDelivery> {
    return this.listPages(path`/webhook_endpoint/${webhookEndpointId}/delivery`, query, options)
  }

  /** Returns a delivery with its failed attempts. */
  getDelivery(
    webhookEndpointId: string,
    eventId: string,
    options?: RequestOptions,
  ): Promise<WebhookDeliveryDetails> {
    return this.sendGet(
      path`/webhook_endpoint/${webhookEndpointId}/delivery/${eventId}`,
      undefined,
      options,
    )
  }

  /** Sends events again. */
  replay(
    webhookEndpointId: string,
    body?: ReplayWebhookEvents,
    options?: RequestOptions,
  ): Promise<QueuedReplay> {
    return this.sendPost(path`/webhook_endpoint/${webhookEndpointId}/replay`, body, options)
  }
}
