import { sql } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Transaction } from '../../platform/storage/database.ts'

/** Where the audit entries of a subject have been scrubbed up to. */
export interface AuditPosition {
  /** Epoch milliseconds. */
  readonly at: number
  readonly eventId: string
}

export const AUDIT_START: AuditPosition = { at: 0, eventId: '' }

/**
 * Erases the detail and the address of the next audit entries about a resource. The chain contains digests of both with
 * salts that are deleted here, too, so that it can still be verified.
 */
export async function scrubAuditEvents(
  trx: Transaction,
  workspaceId: WorkspaceId,
  subject: string,
  after: AuditPosition,
): Promise<{ readonly count: number; readonly last: AuditPosition; readonly hasMore: boolean }> {
  // Chaining locks the same row: an entry is either chained before or without what is erased.
  await trx
    .updateTable('audit_chains')
    .set((eb) => ({ last: eb.ref('last') }))
    .where('workspace_id', '=', workspaceId)
    .execute()
  const rows = await trx
    .selectFrom('audit_events')
    .select(['event_id', 'at', 'detail', 'detail_salt', 'ip', 'ip_salt'])
    .where('workspace_id', '=', workspaceId)
    .where('subject', '=', subject)
    .where('at', '>=', after.at)
    .where((eb) => eb.or([eb('at', '>', after.at), eb('event_id', '>', after.eventId as 'aud_')]))
    .orderBy('at')
    .orderBy('event_id')
    .limit(BATCH)
    .execute()
  const ids = rows
    .filter(
      (row) => row.detail !== '{}' || row.detail_salt !== null || (row.ip ?? row.ip_salt) !== null,
    )
    .map((row) => row.event_id)
  if (ids.length > 0)
    await trx
      .updateTable('audit_events')
      .set({ detail: '{}', detail_salt: null, ip: null, ip_salt: null })
      .where('event_id', 'in', ids)
      // An expression: both databases would read all entries of the workspace by its index.
      .where(sql<boolean>`workspace_id || '' = ${workspaceId}`)
      .execute()
  const last = rows.at(-1)
  return {
    count: ids.length,
    last: last === undefined ? after : { at: Number(last.at), eventId: last.event_id },
    hasMore: rows.length === BATCH,
  }
}

const BATCH = 100
