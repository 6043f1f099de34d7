import { type Kysely, sql } from 'kysely'
import type { Database } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import {
  type ConnectOutcome,
  type NewSubmission,
  type PageId,
  type SessionAccount,
  type SessionKey,
  SUBMISSION,
  type Submission,
} from './submission.ts'

/**
 * The submissions of the connect page. A session's secret (256 random bits) gives access to its own submissions only, and
 * accounts are shown only to the session that connected them.
 */
export function createSubmissionStore(database: Database) {
  const selectSubmission = (pageId: PageId, id: string) =>
    database.read
      .selectFrom('submissions')
      .selectAll()
      .where('attempt_id', '=', id)
      .where(isOfPage(pageId))
  const selectAccounts = ({ sessionHash, pageId }: SessionKey) =>
    database.read
      .selectFrom('submissions')
      .innerJoin('accounts', 'accounts.account_id', 'submissions.account_id')
      .innerJoin('definitions', 'definitions.definition_id', 'accounts.definition_id')
      .select([
        'accounts.account_id as accountId',
        'accounts.name as accountName',
        'accounts.identity_label as identityLabel',
        'accounts.account_identifier as accountIdentifier',
        'definitions.definition_id as definitionId',
        'definitions.name as definitionName',
        'definitions.key as definitionKey',
      ])
      .where('submissions.visit_hash', '=', sessionHash)
      .where(isOfPage(pageId))
      .where('accounts.deleted_at', 'is', null)
      .orderBy('submissions.created_at')
      .orderBy('submissions.attempt_id')
  return {
    /**
     * Begins a submission. Returns whether its ID was unused. That of a form whose values were invalid is unused: nothing was
     * sent, and a person who goes back or reloads submits the same ID, perhaps with other values.
     */
    async begin(trx: Kysely<Tables>, submission: NewSubmission): Promise<boolean> {
      const row = SUBMISSION.toNewRow(SUBMISSION.create({ ...submission, state: 'running' }))
      const begun = await trx
        .insertInto('submissions')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .column('attempt_id')
            .doUpdateSet(row)
            .where('submissions.state', '=', 'failed')
            .where('submissions.code', '=', 'validation_failed')
            .where('submissions.visit_hash', '=', submission.sessionHash)
            .where('submissions.definition_id', '=', submission.definitionId)
            .where(isOfPage(submission.connectSessionId ?? submission.linkId)),
        )
        .returning('attempt_id')
        .executeTakeFirst()
      return begun !== undefined
    },

    async find({ sessionHash, pageId }: SessionKey, id: string): Promise<Submission | undefined> {
      const query = selectSubmission(pageId, id).where('visit_hash', '=', sessionHash)
      const row = await query.executeTakeFirst()
      return row && SUBMISSION.fromRow(row)
    },

    /** Finds a submission by its page, for the sign-in window, which has no session. */
    async findAt(pageId: PageId, id: string): Promise<Submission | undefined> {
      const row = await selectSubmission(pageId, id).executeTakeFirst()
      return row && SUBMISSION.fromRow(row)
    },

    /** The accounts that the session has connected, oldest first. */
    accounts: (session: SessionKey): Promise<SessionAccount[]> => selectAccounts(session).execute(),

    account: (session: SessionKey, submissionId: string): Promise<SessionAccount | undefined> =>
      selectAccounts(session).where('submissions.attempt_id', '=', submissionId).executeTakeFirst(),

    /**
     * Binds a running submission to a new OAuth session, because the window was opened again. Returns the ID of the previous
     * OAuth session, or undefined when there is no such submission.
     */
    async rebind(trx: Kysely<Tables>, submission: NewSubmission): Promise<Id<'att'> | undefined> {
      const previous = await trx
        .selectFrom('submissions')
        .select('oauth_attempt_id')
        .where('attempt_id', '=', submission.submissionId)
        .where('visit_hash', '=', submission.sessionHash)
        .where(isOfPage(submission.connectSessionId ?? submission.linkId))
        .where('definition_id', '=', submission.definitionId)
        .where('state', '=', 'running')
        .where('kind', '=', 'sign_in')
        .executeTakeFirst()
      if (previous?.oauth_attempt_id == null) return undefined
      await trx
        .updateTable('submissions')
        .set({ oauth_attempt_id: submission.oauthSessionId, window: submission.window, code: null })
        .where('attempt_id', '=', submission.submissionId)
        .execute()
      return previous.oauth_attempt_id
    },

    end: endSubmission,

    /** Deletes submissions that expired before the given time. */
    async sweep(expiredBefore: number): Promise<void> {
      await database.transaction((trx) =>
        trx.deleteFrom('submissions').where('expires_at', '<', expiredBefore).execute(),
      )
    },
  }
}

export type SubmissionStore = ReturnType<typeof createSubmissionStore>

/** Selects the submissions of a page: those of a connect session, or those of a link. */
function isOfPage(pageId: PageId | null) {
  const column = pageId?.startsWith('cns_') ? 'connect_session_id' : 'link_id'
  return sql<boolean>`${sql.ref(`submissions.${column}`)} = ${pageId}`
}

/** Ends a submission of the connect page. Undefined if it was not running: the first end wins. */
export async function endSubmission(
  trx: Kysely<Tables>,
  identifiedBy: { readonly submissionId: string } | { readonly oauthSessionId: Id<'att'> },
  outcome: ConnectOutcome,
  now: number,
): Promise<EndedSubmission | undefined> {
  const update = trx
    .updateTable('submissions')
    .set({ ...toOutcomeColumns(outcome), finished_at: now })
    .where('state', '=', 'running')
  const matched =
    'submissionId' in identifiedBy
      ? update.where('attempt_id', '=', identifiedBy.submissionId)
      : update.where('oauth_attempt_id', '=', identifiedBy.oauthSessionId)
  return matched.returning('connect_session_id as connectSessionId').executeTakeFirst()
}

/** A submission that has just ended. */
export type EndedSubmission = Pick<Submission, 'connectSessionId'>

/** The columns of a submission that has ended. */
function toOutcomeColumns(outcome: ConnectOutcome) {
  if ('accountId' in outcome)
    return {
      state: 'connected',
      code: null,
      field: null,
      hint: null,
      account_id: outcome.accountId,
    } as const
  const { code, field = null, hint } = outcome
  return {
    state: 'failed',
    code,
    field,
    hint: hint?.slice(0, MAX_HINT) ?? null,
    account_id: null,
  } as const
}

/** Maximum stored length of a hint, in characters. */
const MAX_HINT = 500

/**
 * Notes that a running sign-in awaits a choice of its person, or that it goes on. Undefined if it is not running. The code
 * distinguishes both: other running submissions have none.
 */
export async function setChoice(
  trx: Kysely<Tables>,
  oauthSessionId: Id<'att'>,
  code: 'already_connected' | null,
): Promise<EndedSubmission | undefined> {
  return trx
    .updateTable('submissions')
    .set({ code })
    .where('oauth_attempt_id', '=', oauthSessionId)
    .where('state', '=', 'running')
    .returning('connect_session_id as connectSessionId')
    .executeTakeFirst()
}

/** How long expired submissions are stored: longer than any open form can be resubmitted. */
export const SUBMISSION_RETENTION_MS = 24 * 60 * 60_000
