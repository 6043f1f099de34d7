import type { AuditEvent, ExportAuditEventsQuery, ListAuditEventsQuery } from '../api-types.js';
import { Group } from '../group.js';
import type { List } from '../list.js';
import type { RequestOptions } from '../send.js';
/** Who did what, when and from where. */
export declare class Audit extends Group {
    /** The entries of the audit trail, newest first. */
    list(query?: ListAuditEventsQuery, options?: RequestOptions): List<AuditEvent>;
    /** Returns the entries as JSON Lines, in the body of the response. */
    export(query?: ExportAuditEventsQuery, options?: RequestOptions): Promise<Response>;
}
