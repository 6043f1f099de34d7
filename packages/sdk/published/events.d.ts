import { Events as EventOperations } from './api-groups.js';
import type { LinchpinEvent, ListEventsQuery } from './api-types.js';
import { type RequestOptions } from './send.js';
/** Which events to follow. */
export type TailQuery = Omit<ListEventsQuery, 'wait' | 'order' | 'before'>;
/** What changed in a workspace, and what changes from now on. */
export declare class Events extends EventOperations {
    #private;
    /**
     * The events after `after`, a `sequence`, and then each new one when it happens. Reconnects when the connection is
     * lost, without losing or repeating an event. Ends by `break`, or with the reason of `options.signal`.
     *
     * @throws LinchpinError `events_gone` if events after `after` are no longer stored; errors that a retry does not change
     */
    tail(query?: TailQuery, options?: RequestOptions): AsyncGenerator<LinchpinEvent, void, undefined>;
}
