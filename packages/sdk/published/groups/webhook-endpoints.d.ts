import type { CreateWebhookEndpoint, ListWebhookDeliveriesQuery, ListWebhookEndpointsQuery, NewWebhookEndpoint, QueuedReplay, ReplayWebhookEvents, RotateWebhookSecret, TestWebhookEndpoint, UpdateWebhookEndpoint, WebhookDelivery, WebhookDeliveryDetails, WebhookEndpoint, WebhookTestResult } from '../api-types.js';
import { Group } from '../group.js';
import type { List } from '../list.js';
import type { RequestOptions } from '../send.js';
/** URLs that receive the events of a workspace. */
export declare class WebhookEndpoints extends Group {
    /** Creates an endpoint. Only this response has the `secret`. */
    create(body: CreateWebhookEndpoint, options?: RequestOptions): Promise<NewWebhookEndpoint>;
    /** Returns an endpoint with its state. */
    get(webhookEndpointId: string, options?: RequestOptions): Promise<WebhookEndpoint>;
    /** The endpoints of a workspace, oldest first. */
    list(query?: ListWebhookEndpointsQuery, options?: RequestOptions): List<WebhookEndpoint>;
    /** Changes an endpoint; `paused: false` enables it again. */
    update(webhookEndpointId: string, body?: UpdateWebhookEndpoint, options?: RequestOptions): Promise<WebhookEndpoint>;
    /** Deletes an endpoint with its deliveries. */
    delete(webhookEndpointId: string, options?: RequestOptions): Promise<WebhookEndpoint>;
    /** Returns a new secret; the former one signs too, for a day unless `overlapSeconds` says otherwise. */
    rotateSecret(webhookEndpointId: string, body?: RotateWebhookSecret, options?: RequestOptions): Promise<NewWebhookEndpoint>;
    /** Sends an example event and reports the response. */
    test(webhookEndpointId: string, body?: TestWebhookEndpoint, options?: RequestOptions): Promise<WebhookTestResult>;
    /** The deliveries of an endpoint, the newest events first. */
    listDeliveries(webhookEndpointId: string, query?: ListWebhookDeliveriesQuery, options?: RequestOptions): List<WebhookDelivery>;
    /** Returns a delivery with its failed attempts. */
    getDelivery(webhookEndpointId: string, eventId: string, options?: RequestOptions): Promise<WebhookDeliveryDetails>;
    /** Sends events again. */
    replay(webhookEndpointId: string, body?: ReplayWebhookEvents, options?: RequestOptions): Promise<QueuedReplay>;
}
