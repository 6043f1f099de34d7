import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import { inBatches } from '../../platform/rounds.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { SignInRetentionStore } from './sign-in-retention-store.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** How long ended sessions are retained: after that, the audit trail alone knows of them. */
const SESSION_DAYS = 30
/** How long claims are retained after they have expired. No one can use them any more. */
const CLAIM_DAYS = 1

export interface EndOldSignInsDeps {
  readonly database: Database
  readonly signInRetention: SignInRetentionStore
  readonly now: () => number
}

/** Background work: records the end of sessions that have run out, and deletes what ended long ago, in small batches. */
export async function endOldSignIns({
  database,
  signInRetention,
  now,
}: EndOldSignInsDeps): Promise<void> {
  await inBatches({ size: 100, max: 10 }, (size) =>
    database.transaction(async (trx) => {
      const time = now()
      const expired = await signInRetention.endExpired(trx, time, size)
      for (const { sessionId, userId, workspaceId } of expired)
        await record(trx, SYSTEM_ACTOR, time, {
          action: 'session.ended',
          workspaceId,
          subject: sessionId,
          detail: { reason: 'expired', userId },
        })
      return expired.length
    }),
  )
  await inBatches({ size: 100, max: 10 }, (size) =>
    signInRetention.deleteEnded(now() - SESSION_DAYS * DAY_MS, size),
  )
  await inBatches({ size: 500, max: 10 }, (size) =>
    signInRetention.deleteClaims(now() - CLAIM_DAYS * DAY_MS, size),
  )
}
