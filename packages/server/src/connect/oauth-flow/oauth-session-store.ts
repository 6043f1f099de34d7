import type { Kysely } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { Account } from '../../accounts/accounts/account.ts'
import type { ConnectAttempt, CountedAttempt } from '../../platform/record/attempt.ts'
import { getPageOrigin } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { ConnectOutcome, ReturnPage } from '../attempts/submission.ts'
import { type EndedSubmission, endSubmission, setChoice } from '../attempts/submission-store.ts'
import {
  type BrowserBinding,
  CALLBACK_GRACE_MS,
  OAUTH_SESSION,
  type OAuthSession,
  type OAuthSessionId,
} from './session/oauth-session.ts'

/**
 * Stores OAuth sessions: attempts to connect an account through OAuth. A page token, and later a state, are 256-bit
 * capabilities of an unauthenticated browser: they identify the session, and the session row defines what can be accessed.
 */
export function createOAuthSessionStore(database: Database) {
  const sessions = () => database.read.selectFrom('oauth_sessions').selectAll()
  return {
    async insert(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      session: OAuthSession,
    ): Promise<void> {
      await trx
        .insertInto('oauth_sessions')
        .values(OAUTH_SESSION.toNewRow({ ...session, userId: access.userId }))
        .execute()
    },

    /** Finds the session of a page token until its callback is claimed or it expires. */
    async findByPage(pageHash: Uint8Array, now: number): Promise<OAuthSession | undefined> {
      const row = await sessions()
        .where('page_hash', '=', pageHash)
        .where('claimed_at', 'is', null)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row && OAUTH_SESSION.fromRow(row)
    },

    async findByState(stateHash: Uint8Array): Promise<OAuthSession | undefined> {
      const row = await sessions().where('state_hash', '=', stateHash).executeTakeFirst()
      return row && OAUTH_SESSION.fromRow(row)
    },

    async find(sessionId: OAuthSessionId): Promise<OAuthSession | undefined> {
      const row = await sessions().where('attempt_id', '=', sessionId).executeTakeFirst()
      return row && OAUTH_SESSION.fromRow(row)
    },

    /**
     * Binds the session to a browser, or again to the same browser with a new state; false when another browser has it.
     */
    async bindBrowser(
      trx: Kysely<Tables>,
      pageHash: Uint8Array,
      binding: BrowserBinding,
      now: number,
    ): Promise<boolean> {
      const row = await trx
        .updateTable('oauth_sessions')
        .set({
          state_hash: binding.stateHash,
          browser_hash: binding.browserHash,
          sealed: binding.sealed,
        })
        .where('page_hash', '=', pageHash)
        .where((eb) =>
          eb.or([eb('browser_hash', 'is', null), eb('browser_hash', '=', binding.browserHash)]),
        )
        .where('claimed_at', 'is', null)
        .where('expires_at', '>', now)
        .returning('attempt_id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** Claims the session for one callback; undefined when it is unknown, expired or already claimed. */
    async claim(
      trx: Kysely<Tables>,
      stateHash: Uint8Array,
      now: number,
    ): Promise<OAuthSession | undefined> {
      const row = await trx
        .updateTable('oauth_sessions')
        .set({ claimed_at: now })
        .where('state_hash', '=', stateHash)
        .where('claimed_at', 'is', null)
        .where('expires_at', '>', now)
        .returningAll()
        .executeTakeFirst()
      return row && OAUTH_SESSION.fromRow(row)
    },

    /**
     * Ends a session and erases its secrets, and ends the submission of the connect page that started it, so that the
     * two never disagree. Undefined if the session was not open any more. With `createdAccount`, stores which account it
     * created, and the hash of the confirmation token that activates it.
     */
    async end(
      trx: Kysely<Tables>,
      sessionId: OAuthSessionId,
      outcome: ConnectOutcome,
      now: number,
      createdAccount?: Pick<Account, 'accountId' | 'confirmHash'>,
    ): Promise<EndedSubmission | undefined> {
      const row = await trx
        .updateTable('oauth_sessions')
        .set({
          finished_at: now,
          outcome: 'accountId' in outcome ? 'connected' : outcome.code,
          sealed: null,
          page_hash: createdAccount?.confirmHash ?? null,
          ...(createdAccount && { account_id: createdAccount.accountId }),
        })
        .where('attempt_id', '=', sessionId)
        .where('finished_at', 'is', null)
        .returning('token_id as tokenId')
        .executeTakeFirst()
      if (row === undefined) return undefined
      return endSubmissionOfSession(trx, { sessionId, ...row }, outcome, now)
    },

    /** Ends the form of a session that goes on. */
    endSubmission: endSubmissionOfSession,

    /** Notes on the form of a session that it awaits a choice, or that it goes on. */
    setChoice,

    /** The page of the connect page at which the user continues; undefined if the session did not start there. */
    async findReturnPage(
      session: OAuthSession,
      db: Kysely<Tables> = database.read,
    ): Promise<ReturnPage | undefined> {
      if (!hasSubmission(session)) return undefined
      return db
        .selectFrom('submissions')
        .select([
          'attempt_id as submissionId',
          'link_id as linkId',
          'connect_session_id as connectSessionId',
          'window',
          'return_query as returnQuery',
        ])
        .where('oauth_attempt_id', '=', session.sessionId)
        .executeTakeFirst()
    },
  }
}

/** Ends the form from which a session was started. */
async function endSubmissionOfSession(
  trx: Kysely<Tables>,
  session: Pick<OAuthSession, 'sessionId' | 'tokenId'>,
  outcome: ConnectOutcome,
  now: number,
): Promise<EndedSubmission> {
  const ended = hasSubmission(session)
    ? await endSubmission(trx, { oauthSessionId: session.sessionId }, outcome, now)
    : undefined
  return ended ?? { connectSessionId: null }
}

/** Whether a session started on the connect page, which has no access token. */
function hasSubmission({ tokenId }: Pick<OAuthSession, 'tokenId'>): boolean {
  return tokenId === null
}

export type OAuthSessionStore = ReturnType<typeof createOAuthSessionStore>

/** What one transaction has erased. */
export interface ExpiredSessions {
  readonly count: number
  /** The attempts of those from which no one returned, and their tools. */
  readonly abandoned: readonly (Pick<CountedAttempt, 'definition'> & {
    readonly attempt: ConnectAttempt
  })[]
}

/** Erases the secrets of at most `limit` expired sessions. Each session is returned once, by one node. */
export async function eraseExpiredSessions(
  trx: Transaction,
  now: number,
  limit: number,
): Promise<ExpiredSessions> {
  const rows = await trx
    .updateTable('oauth_sessions')
    .set({ sealed: null })
    .where('attempt_id', 'in', (eb) =>
      eb
        .selectFrom('oauth_sessions')
        .select('attempt_id')
        .where('expires_at', '<', now - CALLBACK_GRACE_MS)
        .where('sealed', 'is not', null)
        .orderBy('expires_at')
        .limit(limit),
    )
    // Another node may have erased it between the two reads.
    .where('sealed', 'is not', null)
    .returningAll()
    .execute()
  const open = rows
    .filter((row) => row.claimed_at === null && row.finished_at === null)
    .map(OAUTH_SESSION.fromRow)
  if (open.length === 0) return { count: rows.length, abandoned: [] }
  const submissions = await trx
    .selectFrom('submissions')
    .select(['oauth_attempt_id', 'connect_session_id'])
    .where(
      'oauth_attempt_id',
      'in',
      open.map(({ sessionId }) => sessionId),
    )
    .execute()
  const connectSessions = new Map(
    submissions.map((row) => [row.oauth_attempt_id, row.connect_session_id]),
  )
  const definitions = await trx
    .selectFrom('definitions')
    .select(['definition_id as definitionId', 'key', 'latest_version as latestVersion'])
    .where('definition_id', 'in', [...new Set(open.map(({ definitionId }) => definitionId))])
    .execute()
  const byId = new Map(definitions.map((row) => [row.definitionId, row]))
  const toAttempt = (session: OAuthSession) => ({
    attempt: toAbandonedAttempt(session, connectSessions.get(session.sessionId) ?? null),
    definition: byId.get(session.definitionId),
  })
  return { count: rows.length, abandoned: open.map(toAttempt) }
}

/** Deletes sessions that expired before `before`. */
export async function deleteExpiredSessions(trx: Transaction, before: number): Promise<void> {
  await trx.deleteFrom('oauth_sessions').where('expires_at', '<', before).execute()
}

function toAbandonedAttempt(
  session: OAuthSession,
  connectSessionId: ConnectAttempt['connectSessionId'],
): ConnectAttempt {
  const { workspaceId, definitionId, authType, accountId, linkId, accountIdentifier } = session
  return {
    workspaceId,
    definitionId,
    authType,
    via: session.tokenId === null ? getPageOrigin(connectSessionId) : 'oauth',
    outcome: 'abandoned',
    code: null,
    providerStatus: null,
    accountId,
    linkId,
    connectSessionId,
    accountIdentifier,
  }
}
