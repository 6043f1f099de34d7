import type { EventByType, ListEventsQuery } from '../api-types.js';
import { Group } from '../group.js';
import type { List } from '../list.js';
import { type RequestOptions } from '../send.js';
/**
 * An event, by its `type`. A newer service may send types that this version does not know: ignore them in the `default`
 * branch of a `switch`.
 */
export type LinchpinEvent = EventByType[keyof EventByType];
/** Which events to follow. */
export type TailQuery = Omit<ListEventsQuery, 'wait'>;
/** What changed in a workspace. */
export declare class Events extends Group {
    #private;
    /** Returns an event. */
    get(eventId: string, options?: RequestOptions): Promise<LinchpinEvent>;
    /** The events so far, in the order of `sequence`. */
    list(query?: ListEventsQuery, options?: RequestOptions): List<LinchpinEvent>;
    /**
     * The events after `after`, a `sequence`, and then each new one when it happens. Reconnects when the connection is
     * lost, without losing or repeating an event. Ends by `break`, or with the reason of `options.signal`.
     *
     * @throws LinchpinError `events_gone` if events after `after` are no longer stored; errors that a retry does not change
     */
    tail(query?: TailQuery, options?: RequestOptions): AsyncGenerator<LinchpinEvent, void, undefined>;
}
