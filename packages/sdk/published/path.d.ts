/** Values of query parameters. Those that are undefined or null are not sent. */
export type Query = object;
/**
 * A path whose IDs are encoded: path`/link/${linkId}`.
 *
 * @throws TypeError for an ID that is empty or would change the path
 */
export declare function path(texts: TemplateStringsArray, ...ids: readonly string[]): string;
/** The ID as one segment of a path. @throws TypeError */
export declare function encodeId(id: string): string;
/** A query string with its question mark; empty without parameters. Arrays are repeated parameters. */
export declare function toSearch(query?: Query): string;
