import { type AuditActor, SYSTEM_ACTOR } from '../../platform/record/change.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import { record } from '../../platform/record/record-store.ts'
import { inBatches } from '../../platform/rounds.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { ConnectSession } from './connect-session.ts'
import type { VisitedSessionStore } from './connect-session-store.ts'
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

export interface EndConnectSessionsDeps {
  readonly database: Database
  readonly visitedSessions: VisitedSessionStore
  readonly now: () => number
}

/** Background work: records once that a session has expired, however many nodes do so, and deletes old ones. */
export async function endConnectSessions(deps: EndConnectSessionsDeps): Promise<void> {
  const { database, visitedSessions, now } = deps
  await inBatches(BATCHES, (size) =>
    database.transaction(async (trx) => {
      const time = now()
      const expired = await visitedSessions.markExpired(trx, time, size)
      for (const session of expired)
        await recordConnectSessionChange(
          trx,
          SYSTEM_ACTOR,
          time,
          'connect_session.expired',
          session,
        )
      return expired.length
    }),
  )
  await inBatches(BATCHES, (size) =>
    database.transaction((trx) => visitedSessions.sweep(trx, now() - RETENTION_MS, size)),
  )
}

const BATCHES = { size: 100, max: 10 }
/** How long a session stays listed after it has expired. */
const RETENTION_MS = 30 * 24 * 60 * 60_000
