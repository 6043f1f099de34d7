import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'

/** A session that has run out. */
export interface ExpiredSession {
  readonly sessionId: Id<'ses'>
  readonly userId: Id<'usr'>
  readonly workspaceId: Id<'wsp'>
}

/** Ends and deletes what signed people in. Background work: not on behalf of a person. Times are in epoch milliseconds. */
export function createSignInRetentionStore(database: Database) {
  return {
    /** Ends at most `limit` sessions that have run out, and revokes their tokens. */
    async endExpired(trx: Transaction, now: number, limit: number): Promise<ExpiredSession[]> {
      const rows = await trx
        .updateTable('console_sessions')
        .set({ ended_at: now })
        .where('session_id', 'in', (eb) =>
          eb
            .selectFrom('console_sessions')
            .select('session_id')
            .where('ended_at', 'is', null)
            .where('idle_ends_at', '<=', now)
            .orderBy('idle_ends_at')
            .limit(limit),
        )
        .where('ended_at', 'is', null)
        .returning(['session_id', 'user_id', 'workspace_id'])
        .execute()
      for (const { session_id } of rows)
        await trx
          .updateTable('tokens')
          .set({ revoked_at: now })
          .where('revoked_at', 'is', null)
          .where('token_id', 'in', (eb) =>
            eb.selectFrom('session_tokens').select('token_id').where('session_id', '=', session_id),
          )
          .execute()
      return rows.map((row) => ({
        sessionId: row.session_id,
        userId: row.user_id,
        workspaceId: row.workspace_id,
      }))
    },

    /** Deletes at most `limit` sessions that ended before `before`. Returns how many. */
    deleteEnded: (before: number, limit: number): Promise<number> =>
      database.transaction(async (trx) => {
        const rows = await trx
          .selectFrom('console_sessions')
          .select('session_id')
          .where('ended_at', 'is not', null)
          .where('ended_at', '<', before)
          .orderBy('ended_at')
          .limit(limit)
          .execute()
        for (const { session_id } of rows) await deleteSession(trx, session_id)
        return rows.length
      }),

    /** Deletes at most `limit` claims that expired before `before`. Returns how many. */
    deleteClaims: (before: number, limit: number): Promise<number> =>
      database.transaction(async (trx) => {
        const rows = await trx
          .deleteFrom('sign_in_claims')
          .where('claim_hash', 'in', (eb) =>
            eb
              .selectFrom('sign_in_claims')
              .select('claim_hash')
              .where('expires_at', '<', before)
              .orderBy('expires_at')
              .limit(limit),
          )
          .returning('claim_hash')
          .execute()
        return rows.length
      }),
  }
}

export type SignInRetentionStore = ReturnType<typeof createSignInRetentionStore>

async function deleteSession(trx: Transaction, sessionId: Id<'ses'>): Promise<void> {
  const tokens = await trx
    .deleteFrom('session_tokens')
    .where('session_id', '=', sessionId)
    .returning('token_id')
    .execute()
  await trx.deleteFrom('console_sessions').where('session_id', '=', sessionId).execute()
  if (tokens.length === 0) return
  await trx
    .deleteFrom('tokens')
    .where(
      'token_id',
      'in',
      tokens.map((row) => row.token_id),
    )
    .where('origin', '=', 'session')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('tokens as child')
            .select('child.token_id')
            .whereRef('child.parent_token_id', '=', 'tokens.token_id'),
        ),
      ),
    )
    .execute()
}
