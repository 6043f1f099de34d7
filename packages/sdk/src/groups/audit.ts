import type { AuditEvent, ExportAuditEventsQuery, ListAuditEventsQuery } from '../api-types.ts'
import { Group } from '../group.ts'
import type { List } from '../list.ts'
import type { RequestOptions } from '../send.ts'

/** Who did what, when and from where. */
export class Audit extends Group {
  /** The entries of the audit trail, newest first. */
  list(query?: ListAuditEventsQuery, options?: RequestOptions): List<AuditEvent> {
    return this.listPages('/audit', query, options)
  }

  /** Returns the entries as JSON Lines, in the body of the response. */
  export(query?: ExportAuditEventsQuery, options?: RequestOptions): Promise<Response> {
    return this.openStream('/audit/export', query, options)
  }
}
