import type { Kysely } from 'kysely'
import type { LinkId } from '../../links/link.ts'
import { endSubmission } from '../../oauth-flow/end-submission-store.ts'
import type { ConnectOutcome, OAuthSessionId } from '../../oauth-flow/session/oauth-session.ts'
import type { Database } from '../../storage/database.ts'
import type { Tables, VisitAttemptRow } from '../../storage/tables.ts'
import type { SessionAccount, Submission } from './submission.ts'

/** Identifies one session at one link. */
export interface SessionKey {
  readonly sessionHash: Uint8Array
  readonly linkId: LinkId
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
        'accounts.account_id as accountId',
        'accounts.name as accountName',
        'accounts.account_identifier as accountIdentifier',
        'definitions.definition_id as definitionId',
        'definitions.name as definitionName',
        'definitions.key as definitionKey',
      ])
      .where('visit_attempts.visit_hash', '=', sessionHash)
      .where('visit_attempts.link_id', '=', linkId)
      .where('accounts.deleted_at', 'is', null)
      .orderBy('visit_attempts.created_at')
      .orderBy('visit_attempts.attempt_id')
  return {
    /** Inserts a submission. Returns whether its ID was new. */
    async begin(trx: Kysely<Tables>, submission: Submission): Promise<boolean> {
      const inserted = await trx
        .insertInto('visit_attempts')
        .values(toRow(submission))
        .onConflict((conflict) => conflict.doNothing())
        .returning('attempt_id')
        .executeTakeFirst()
      return inserted !== undefined
    },

    async find({ sessionHash, linkId }: SessionKey, id: string): Promise<Submission | undefined> {
      const row = await database.read
        .selectFrom('visit_attempts')
        .selectAll()
        .where('attempt_id', '=', id)
        .where('visit_hash', '=', sessionHash)
        .where('link_id', '=', linkId)
        .executeTakeFirst()
      return row && toSubmission(row)
    },

    /** Finds a submission by link, for the sign-in window, which has no session. */
    async findAt(linkId: LinkId, id: string): Promise<Submission | undefined> {
      const row = await database.read
        .selectFrom('visit_attempts')
        .selectAll()
        .where('attempt_id', '=', id)
        .where('link_id', '=', linkId)
        .executeTakeFirst()
      return row && toSubmission(row)
    },

    /** The accounts that the session has connected, oldest first. */
    accounts: (session: SessionKey): Promise<SessionAccount[]> => selectAccounts(session).execute(),

    account: (session: SessionKey, submissionId: string): Promise<SessionAccount | undefined> =>
      selectAccounts(session)
        .where('visit_attempts.attempt_id', '=', submissionId)
        .executeTakeFirst(),

    /**
     * Binds a running submission to a new OAuth session, because the window was opened again. Returns the ID of the previous
     * OAuth session, or undefined when there is no such submission.
     */
    async rebind(trx: Kysely<Tables>, submission: Submission): Promise<OAuthSessionId | undefined> {
      const previous = await trx
        .selectFrom('visit_attempts')
        .select('oauth_attempt_id')
        .where('attempt_id', '=', submission.submissionId)
        .where('visit_hash', '=', submission.sessionHash)
        .where('link_id', '=', submission.linkId)
        .where('definition_id', '=', submission.definitionId)
        .where('state', '=', 'running')
        .where('kind', '=', 'sign_in')
        .executeTakeFirst()
      if (previous?.oauth_attempt_id == null) return undefined
      await trx
        .updateTable('visit_attempts')
        .set({ oauth_attempt_id: submission.oauthSessionId, window: submission.window })
        .where('attempt_id', '=', submission.submissionId)
        .execute()
      return previous.oauth_attempt_id
    },

    /** Ends a submission. Returns whether it was running: the first end wins. */
    end: (
      trx: Kysely<Tables>,
      submissionId: string,
      outcome: ConnectOutcome,
      now: number,
    ): Promise<boolean> => endSubmission(trx, { submissionId }, outcome, now),

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
export async function deleteOldSubmissions(deps: {
  readonly database: Database
  readonly submissions: SubmissionStore
  readonly now: () => number
}): Promise<void> {
  await deps.database.transaction((trx) => deps.submissions.sweep(trx, deps.now() - RETENTION_MS))
}

function toSubmission(row: VisitAttemptRow): Submission {
  return {
    submissionId: row.attempt_id,
    sessionHash: row.visit_hash,
    linkId: row.link_id,
    workspaceId: row.workspace_id,
    definitionId: row.definition_id,
    authType: row.auth_type,
    kind: row.kind,
    oauthSessionId: row.oauth_attempt_id,
    window: row.window,
    returnQuery: row.return_query,
    state: row.state,
    code: row.code,
    field: row.field,
    hint: row.hint,
    accountId: row.account_id,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    expiresAt: row.expires_at,
  }
}

function toRow(submission: Submission): VisitAttemptRow {
  return {
    attempt_id: submission.submissionId,
    visit_hash: submission.sessionHash,
    link_id: submission.linkId,
    workspace_id: submission.workspaceId,
    definition_id: submission.definitionId,
    auth_type: submission.authType,
    kind: submission.kind,
    oauth_attempt_id: submission.oauthSessionId,
    window: submission.window,
    return_query: submission.returnQuery,
    state: submission.state,
    code: submission.code,
    field: submission.field,
    hint: submission.hint,
    account_id: submission.accountId,
    created_at: submission.createdAt,
    finished_at: submission.finishedAt,
    expires_at: submission.expiresAt,
  }
}
