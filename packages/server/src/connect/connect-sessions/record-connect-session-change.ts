import type { AuditActor } from '../../platform/record/change.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import type { ConnectSession } from './connect-session.ts'
import { serializeConnectSession } from './schemas.ts'

/** Records a change of a connect session in its transaction. `response`: what the request answers, if it is a POST of the API. */
export async function recordConnectSessionChange(
  trx: Transaction,
  actor: AuditActor,
  now: number,
  type: Extract<EventType, `connect_session.${string}`>,
  session: ConnectSession,
  response?: unknown,
): Promise<void> {
  const { connectSessionId, workspaceId, accountIdentifier, mode } = session
  await record(trx, actor, now, {
    action: type,
    workspaceId,
    subject: connectSessionId,
    detail: { mode },
    event: {
      type,
      subject: connectSessionId,
      accountIdentifier,
      data: { connectSession: serializeConnectSession(session, now) },
    },
    response,
  })
}
