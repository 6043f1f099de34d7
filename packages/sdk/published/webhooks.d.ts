import type { EventByType, LinchpinEvent } from './api-types.js';
import { type WebhookHeaders } from './webhook-headers.js';
export type { LinchpinEvent } from './api-types.js';
export type { WebhookHeaders } from './webhook-headers.js';
export interface VerifyOptions {
    /** How far the time of a request may be from now. Default: 300. */
    readonly toleranceSeconds?: number | undefined;
}
/** The request is not a webhook of an endpoint with these keys, or it is an old one. */
export declare class WebhookVerificationError extends Error {
    readonly name = "WebhookVerificationError";
}
/**
 * Verifies a webhook (Standard Webhooks, `v1` and `v1a`), and returns its event.
 *
 * @param body the body as received, before anything parses it
 * @param headers the headers as the framework has them: their names may have any case
 * @param keys the secret of the endpoint, `whsec_…`, its public key, `whpk_…`, or several of them
 * @throws WebhookVerificationError for a wrong signature or time; TypeError for arguments that cannot be used
 */
export declare function verifyWebhook(body: string | ArrayBufferView | ArrayBuffer, headers: WebhookHeaders | Promise<WebhookHeaders>, keys: string | readonly string[], { toleranceSeconds }?: VerifyOptions): Promise<LinchpinEvent>;
/** The ids of the events that were handled. A `Set` fits, for as long as the process lives. */
export interface SeenEvents {
    has(eventId: string): boolean | Promise<boolean>;
    add(eventId: string): unknown;
}
export interface WebhookHandlerOptions extends VerifyOptions {
    /** As for {@link verifyWebhook}. */
    readonly keys: string | readonly string[];
    /** An event that it has is not handled again. Its ID is added after the handler has succeeded. */
    readonly seen?: SeenEvents | undefined;
    /** The handlers by type; `*` gets the events without a handler. */
    readonly on: {
        readonly [Type in keyof EventByType]?: ((event: EventByType[Type]) => unknown) | undefined;
    } & {
        readonly '*'?: ((event: LinchpinEvent) => unknown) | undefined;
    };
}
/**
 * A handler of requests, for frameworks that use `Request` and `Response`. Responds with 204 when the event is handled, and
 * with 401 to a request that is not genuine. An error of a handler is thrown: the framework responds with 500, and Linchpin
 * sends the event again.
 */
export declare function webhookHandler({ keys, seen, on, toleranceSeconds, }: WebhookHandlerOptions): (request: Request) => Promise<Response>;
