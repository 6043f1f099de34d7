import { List, type Page } from './list.js';
import { type Query } from './path.js';
import type { RequestOptions, Send } from './send.js';
/** The operations on one kind of resource. */
export declare abstract class Group {
    #private;
    constructor(send: Send);
    protected sendGet<T>(path: string, query?: Query, options?: RequestOptions): Promise<T>;
    protected sendPost<T>(path: string, body?: object, options?: RequestOptions): Promise<T>;
    protected sendDelete<T>(path: string, query?: Query, options?: RequestOptions): Promise<T>;
    /** The response with its body unread. */
    protected openStream(path: string, query?: Query, options?: RequestOptions): Promise<Response>;
    /** A list that takes `limit`. */
    protected listPages<T>(path: string, query?: Query & {
        readonly limit?: number | undefined;
    }, options?: RequestOptions): List<T>;
    /** A list that is always returned completely. */
    protected listAll<T>(path: string, query?: Query, options?: RequestOptions): List<T>;
    protected readPage<T>(path: string, search: string, options?: RequestOptions): Promise<Page<T>>;
}
