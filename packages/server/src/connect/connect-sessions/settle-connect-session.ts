import { ApiError } from '../../platform/errors.ts'
import type { AuditActor } from '../../platform/record/change.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import type { ConnectOutcome } from '../links/submissions/submission.ts'
import type { ConnectSessionId } from './connect-session.ts'
import { recordConnectSessionChange } from './record-connect-session-change.ts'
import type { VisitedSessionStore } from './visited-session-store.ts'

export interface SettleConnectSessionDeps {
  readonly visitedSessions: VisitedSessionStore
}

/**
 * Notes the end of a submission in its connect session, in the same transaction: an account is stored only if
 * the session accepts it.
 *
 * @throws ApiError `connect_session_ended` when the session was revoked or completed meanwhile
 */
export async function settleConnectSession(
  { visitedSessions }: SettleConnectSessionDeps,
  trx: Transaction,
  actor: AuditActor,
  connectSessionId: ConnectSessionId,
  outcome: ConnectOutcome,
  now: number,
): Promise<void> {
  if (!('accountId' in outcome))
    return visitedSessions.noteFailure(trx, connectSessionId, outcome.code, now)
  const session = await visitedSessions.addAccount(trx, connectSessionId, outcome.accountId, now)
  if (session === undefined)
    throw new ApiError(
      'connect_session_ended',
      'This connect session has ended. The account was not stored.',
    )
  if (session.completedAt !== null)
    await recordConnectSessionChange(trx, actor, now, 'connect_session.completed', session)
}
