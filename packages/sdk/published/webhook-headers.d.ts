type HeaderValue = string | readonly unknown[] | null | undefined;
/**
 * The headers of a request, as frameworks have them: `Headers`, an object (of Node, Express, Fastify, Lambda, in any case), a
 * `Map`, pairs, the flat list of Node's `rawHeaders`, or anything with a `get` like that of `Headers`.
 */
export type WebhookHeaders = {
    get(name: string): string | null | undefined;
} | Iterable<readonly [string, HeaderValue]> | readonly string[] | Readonly<Record<string, HeaderValue>>;
/**
 * A function that returns all values of a header, whose name is compared without its case (RFC 9110, section 5.1).
 *
 * @throws TypeError if these are no headers
 */
export declare function createHeaderReader(headers: WebhookHeaders): (name: string) => string[];
export {};
