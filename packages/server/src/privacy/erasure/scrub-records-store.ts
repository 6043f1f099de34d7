import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { AUDIT_START, type AuditPosition, scrubAuditEvents } from './audit-scrub-store.ts'
import { addCounts, type ErasureCounts } from './erasure.ts'
import { scrubEventsOfSubject } from './event-scrub-store.ts'

/** Where the events and audit entries of a resource have been scrubbed up to. */
export interface RecordsPosition {
  readonly sequence: number
  readonly audit: AuditPosition
}

export const RECORDS_START: RecordsPosition = { sequence: 0, audit: AUDIT_START }

/** Scrubs the next events and audit entries of a resource. */
export async function scrubRecords(
  trx: Transaction,
  workspaceId: WorkspaceId,
  subject: string,
  after: RecordsPosition,
): Promise<{
  readonly counts: ErasureCounts
  readonly position: RecordsPosition
  readonly hasMore: boolean
}> {
  const events = await scrubEventsOfSubject(trx, workspaceId, subject, after.sequence)
  const audit = await scrubAuditEvents(trx, workspaceId, subject, after.audit)
  return {
    counts: addCounts(events.counts, { auditEvents: audit.count }),
    position: { sequence: events.last, audit: audit.last },
    hasMore: events.hasMore || audit.hasMore,
  }
}

/** Whether a resource has more events or audit entries than one call of {@link scrubRecords} scrubs. */
export async function hasManyRecords(
  { read }: Pick<Database, 'read'>,
  workspaceId: WorkspaceId,
  subject: string,
): Promise<boolean> {
  const event = await read
    .selectFrom('events')
    .select('position')
    .where('workspace_id', '=', workspaceId)
    .where('subject', '=', subject)
    .where('sequence', 'is not', null)
    .limit(1)
    .offset(FEW)
    .executeTakeFirst()
  if (event !== undefined) return true
  const entry = await read
    .selectFrom('audit_events')
    .select('event_id')
    .where('workspace_id', '=', workspaceId)
    .where('subject', '=', subject)
    .limit(1)
    .offset(FEW)
    .executeTakeFirst()
  return entry !== undefined
}

/** Less than a batch, because more may be recorded until the transaction. */
const FEW = 50
