import type { Transaction } from '../storage/database.ts'
import type { AuditActor, AuditEvent } from './change.ts'

/** Whether the same event, by the same actor and with the same detail, was recorded after `since`, in epoch milliseconds. */
export async function isRecordedSince(
  trx: Transaction,
  { userId }: Pick<AuditActor, 'userId'>,
  since: number,
  { action, workspaceId, subject, detail = {} }: AuditEvent,
): Promise<boolean> {
  const earlier = await trx
    .selectFrom('audit_events')
    .select('event_id')
    .where('workspace_id', '=', workspaceId)
    .where('action', '=', action)
    .where('subject', '=', subject)
    .where((eb) => (userId === null ? eb('user_id', 'is', null) : eb('user_id', '=', userId)))
    .where('detail', '=', JSON.stringify(detail))
    .where('at', '>', since)
    .limit(1)
    .executeTakeFirst()
  return earlier !== undefined
}
