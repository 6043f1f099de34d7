/** Options of a single call. */
export interface RequestOptions {
    /** Ends the call, its waiting for a retry included. The call throws the reason of the signal. */
    readonly signal?: AbortSignal | undefined;
    /** How long an attempt may take. Default: 30,000. */
    readonly timeoutMs?: number | undefined;
    /** Attempts after the first. Default: 3. */
    readonly maxRetries?: number | undefined;
    /** The `Idempotency-Key` of a POST. Default: a random one, the same in each attempt. */
    readonly idempotencyKey?: string | undefined;
}
/** `fetch`, or a function that behaves like it. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
export interface SendSettings {
    /** The base URL of the API, without a slash at the end. */
    readonly apiUrl: string;
    readonly authorization: string;
    readonly fetch: Fetch;
    readonly timeoutMs: number;
    readonly maxRetries: number;
}
export interface ApiRequest {
    readonly method: 'GET' | 'POST' | 'DELETE';
    /** Path and query below the base URL of the API. */
    readonly path: string;
    readonly body?: object | undefined;
    readonly options?: RequestOptions | undefined;
    /** Leaves the body of the response unread. */
    readonly isStream?: boolean;
}
export interface ApiResponse {
    readonly data: unknown;
    readonly response: Response;
}
/** Sends a request to the API, up to `maxRetries` times more than once. @throws LinchpinError, LinchpinConnectionError */
export type Send = (request: ApiRequest) => Promise<ApiResponse>;
export declare function createSend(settings: SendSettings): Send;
/**
 * Milliseconds until the next attempt: `Retry-After`, otherwise full jitter below 0.5, 1, 2, 4 and then 8 seconds.
 * `undefined` for errors that a retry does not change, and for a longer wait than a caller expects.
 */
export declare function getRetryDelayMs(error: unknown, attempt: number): number | undefined;
/** Resolves later. @throws the reason of the signal */
export declare function sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
