import type { Attempt, ListAttemptsQuery } from '../api-types.js';
import { Group } from '../group.js';
import type { List } from '../list.js';
import type { RequestOptions } from '../send.js';
/** Why connecting an account succeeded or failed. */
export declare class Attempts extends Group {
    /** The attempts, newest first. */
    list(query?: ListAttemptsQuery, options?: RequestOptions): List<Attempt>;
}
