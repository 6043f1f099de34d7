import type { ErrorCode } from './api-types.js';
/** Problems by the paths of the fields that they concern. */
export type FieldErrors = Readonly<Record<string, readonly {
    readonly code: string;
    readonly message: string;
}[]>>;
interface ErrorDetails {
    readonly code: string;
    readonly status: number;
    readonly errors: FieldErrors;
    readonly requestId: string | undefined;
    readonly retryAfterMs: number | undefined;
}
/** The service responded with an error. docs/errors.md explains each code. */
export declare class LinchpinError extends Error {
    readonly name: string;
    /** A stable code; `unexpected_response` if the response is not Linchpin's. Newer services may have codes that this version does not know. */
    readonly code: ErrorCode | 'unexpected_response' | (string & {});
    /** The HTTP status. */
    readonly status: number;
    readonly errors: FieldErrors;
    /** Identifies the request in the log of the service. */
    readonly requestId: string | undefined;
    /** How long the service wants a client to wait before the next attempt. */
    readonly retryAfterMs: number | undefined;
    constructor(message: string, details: ErrorDetails);
    /** Whether the same request may succeed later. */
    get isRetryable(): boolean;
}
/** No response arrived: the service cannot be reached, or the connection was closed. */
export declare class LinchpinConnectionError extends Error {
    readonly name: string;
    readonly isRetryable = true;
}
/** No response arrived in time. */
export declare class LinchpinTimeoutError extends LinchpinConnectionError {
    readonly name = "LinchpinTimeoutError";
}
/**
 * Whether a caught value is a {@link LinchpinError}, with this code if one is given:
 * `if (isLinchpinError(error, 'needs_reauth')) …`
 */
export declare function isLinchpinError<Code extends ErrorCode | 'unexpected_response'>(error: unknown, code?: Code): error is LinchpinError & {
    readonly code: Code;
};
/**
 * The {@link LinchpinError} behind an error of a library that has `account(id).fetch`, if there is one: libraries throw errors
 * of their own, with the one of `fetch` inside.
 */
export declare function findLinchpinError(error: unknown): LinchpinError | undefined;
/** The error that a response stands for. Reads its body. */
export declare function readError(response: Response): Promise<LinchpinError>;
/** A response that Linchpin does not send, such as the page of a load balancer. */
export declare function createUnexpectedResponse(status: number, details?: Partial<ErrorDetails>): LinchpinError;
export {};
