import type { Kysely } from 'kysely'
import type { Database } from '../../storage/database.ts'
import type { Tables, VisitAttemptRow } from '../../storage/tables.ts'

/** Identifies one session at one link. */
export interface SessionKey {
  readonly sessionHash: Uint8Array
  readonly linkId: string
}

/** An account that was connected in a session. */
export interface SessionAccount {
  readonly account_id: string
  readonly account_name: string
  readonly account_identifier: string | null
  readonly definition_id: string
  readonly definition_name: string
  readonly definition_key: string
}

/**
 * The submissions of the connect page. A session's secret (256 random bits) gives access to its own submissions only, and
 * accounts are shown only to the session that connected them.
 */
export function createSubmissionStore(database: Database) {
  const selectAccounts = ({ sessionHash, linkId }: SessionKey) =>
    database.read
      .selectFrom('visit_attempts')
      .innerJoin('accounts', 'accounts.account_id', 'visit_attempts.account_id')
      .innerJoin('definitions', 'definitions.definition_id', 'accounts.definition_id')
      .select([
        'accounts.account_id',
        'accounts.name as account_name',
        'accounts.account_identifier',
        'definitions.definition_id',
        'definitions.name as definition_name',
        'definitions.key as definition_key',
      ])
      .where('visit_attempts.visit_hash', '=', sessionHash)
      .where('visit_attempts.link_id', '=', linkId)
      .where('accounts.deleted_at', 'is', null)
      .orderBy('visit_attempts.created_at')
      .orderBy('visit_attempts.attempt_id')
  return {
    /** Inserts a submission. Returns whether its ID was new. */
    async begin(trx: Kysely<Tables>, row: VisitAttemptRow): Promise<boolean> {
      const inserted = await trx
        .insertInto('visit_attempts')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .returning('attempt_id')
        .executeTakeFirst()
      return inserted !== undefined
    },

    find: ({ sessionHash, linkId }: SessionKey, id: string): Promise<VisitAttemptRow | undefined> =>
      database.read
        .selectFrom('visit_attempts')
        .selectAll()
        .where('attempt_id', '=', id)
        .where('visit_hash', '=', sessionHash)
        .where('link_id', '=', linkId)
        .executeTakeFirst(),

    findByOAuth: (oauthAttemptId: string): Promise<VisitAttemptRow | undefined> =>
      database.read
        .selectFrom('visit_attempts')
        .selectAll()
        .where('oauth_attempt_id', '=', oauthAttemptId)
        .executeTakeFirst(),

    /** Finds a submission by link, for the sign-in window, which has no session. */
    findAt: (linkId: string, id: string): Promise<VisitAttemptRow | undefined> =>
      database.read
        .selectFrom('visit_attempts')
        .selectAll()
        .where('attempt_id', '=', id)
        .where('link_id', '=', linkId)
        .executeTakeFirst(),

    /** The accounts that the session has connected, oldest first. */
    accounts: (session: SessionKey): Promise<SessionAccount[]> => selectAccounts(session).execute(),

    account: (session: SessionKey, attemptId: string): Promise<SessionAccount | undefined> =>
      selectAccounts(session).where('visit_attempts.attempt_id', '=', attemptId).executeTakeFirst(),

    /**
     * Binds a running submission to a new OAuth session, because the window was opened again. Returns the ID of the previous
     * OAuth session, or undefined when there is no such submission.
     */
    async rebind(trx: Kysely<Tables>, row: VisitAttemptRow): Promise<string | undefined> {
      const previous = await trx
        .selectFrom('visit_attempts')
        .select('oauth_attempt_id')
        .where('attempt_id', '=', row.attempt_id)
        .where('visit_hash', '=', row.visit_hash)
        .where('link_id', '=', row.link_id)
        .where('definition_id', '=', row.definition_id)
        .where('state', '=', 'running')
        .where('kind', '=', 'sign_in')
        .executeTakeFirst()
      if (previous?.oauth_attempt_id == null) return undefined
      await trx
        .updateTable('visit_attempts')
        .set({ oauth_attempt_id: row.oauth_attempt_id, window: row.window })
        .where('attempt_id', '=', row.attempt_id)
        .execute()
      return previous.oauth_attempt_id
    },

    /** Ends a running submission. Returns whether it was running. */
    async end(
      trx: Kysely<Tables>,
      identifiedBy: { readonly attemptId: string } | { readonly oauthAttemptId: string },
      change: Pick<
        VisitAttemptRow,
        'state' | 'code' | 'field' | 'hint' | 'account_id' | 'finished_at'
      >,
    ): Promise<boolean> {
      const update = trx.updateTable('visit_attempts').set(change).where('state', '=', 'running')
      const matched =
        'attemptId' in identifiedBy
          ? update.where('attempt_id', '=', identifiedBy.attemptId)
          : update.where('oauth_attempt_id', '=', identifiedBy.oauthAttemptId)
      return (await matched.returning('attempt_id').executeTakeFirst()) !== undefined
    },

    /** Deletes submissions that expired before the given time. */
    async sweep(trx: Kysely<Tables>, expiredBefore: number): Promise<void> {
      await trx.deleteFrom('visit_attempts').where('expires_at', '<', expiredBefore).execute()
    },
  }
}

export type SubmissionStore = ReturnType<typeof createSubmissionStore>

/** Longer than any open form can be resubmitted. */
const RETENTION_MS = 24 * 60 * 60_000

/** Background task: deletes submissions that can't be requested any more. */
export async function sweepSubmissions(deps: {
  readonly database: Database
  readonly submissions: SubmissionStore
  readonly now: () => number
}): Promise<void> {
  await deps.database.transaction((trx) => deps.submissions.sweep(trx, deps.now() - RETENTION_MS))
}
