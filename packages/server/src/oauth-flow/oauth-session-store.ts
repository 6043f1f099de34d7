import type { Kysely } from 'kysely'
import type { Account } from '../accounts/account.ts'
import type { WorkspaceAccess } from '../auth/caller.ts'
import type { Database } from '../storage/database.ts'
import type { OAuthAttemptRow, Tables } from '../storage/tables.ts'
import type { OAuthSession, OAuthSessionId } from './session/oauth-session.ts'

/** What binds a session to a browser. */
export interface BrowserBinding {
  readonly stateHash: Uint8Array
  readonly browserHash: Uint8Array
  readonly sealed: Uint8Array
}

/**
 * Stores OAuth sessions: attempts to connect an account through OAuth. A page token, and later a state, are 256-bit
 * capabilities of an unauthenticated browser: they identify the session, and the session row defines what can be accessed.
 */
export function createOAuthSessionStore(database: Database) {
  return {
    async insert(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      session: OAuthSession,
    ): Promise<void> {
      await trx
        .insertInto('oauth_attempts')
        .values(toRow({ ...session, userId: access.userId }))
        .execute()
    },

    /** Finds the session of a page token until its callback is claimed or it expires. */
    async findByPage(pageHash: Uint8Array, now: number): Promise<OAuthSession | undefined> {
      const row = await selectSessions(database.read)
        .where('page_hash', '=', pageHash)
        .where('claimed_at', 'is', null)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row && toOAuthSession(row)
    },

    async findByState(stateHash: Uint8Array): Promise<OAuthSession | undefined> {
      const row = await selectSessions(database.read)
        .where('state_hash', '=', stateHash)
        .executeTakeFirst()
      return row && toOAuthSession(row)
    },

    async find(sessionId: OAuthSessionId): Promise<OAuthSession | undefined> {
      const row = await selectSessions(database.read)
        .where('attempt_id', '=', sessionId)
        .executeTakeFirst()
      return row && toOAuthSession(row)
    },

    async findFinished(sessionId: OAuthSessionId): Promise<OAuthSession | undefined> {
      const row = await selectSessions(database.read)
        .where('attempt_id', '=', sessionId)
        .where('finished_at', 'is not', null)
        .executeTakeFirst()
      return row && toOAuthSession(row)
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
        .updateTable('oauth_attempts')
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
        .updateTable('oauth_attempts')
        .set({ claimed_at: now })
        .where('state_hash', '=', stateHash)
        .where('claimed_at', 'is', null)
        .where('expires_at', '>', now)
        .returningAll()
        .executeTakeFirst()
      return row && toOAuthSession(row)
    },

    /**
     * Finishes a session and erases its secrets; returns whether it was still open. With `createdAccount`, stores which
     * account it created, and the hash of the confirmation token that activates it.
     */
    async finish(
      trx: Kysely<Tables>,
      sessionId: OAuthSessionId,
      outcome: string,
      now: number,
      createdAccount?: Pick<Account, 'accountId' | 'confirmHash'>,
    ): Promise<boolean> {
      const row = await trx
        .updateTable('oauth_attempts')
        .set({
          finished_at: now,
          outcome,
          sealed: null,
          page_hash: createdAccount?.confirmHash ?? null,
          ...(createdAccount && { account_id: createdAccount.accountId }),
        })
        .where('attempt_id', '=', sessionId)
        .where('finished_at', 'is', null)
        .returning('attempt_id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** Erases the secrets of expired sessions, and deletes sessions that expired before `before`. */
    async sweep(trx: Kysely<Tables>, now: number, before: number): Promise<void> {
      await trx
        .updateTable('oauth_attempts')
        .set({ sealed: null })
        .where('expires_at', '<', now - CALLBACK_GRACE_MS)
        .where('sealed', 'is not', null)
        .execute()
      await trx.deleteFrom('oauth_attempts').where('expires_at', '<', before).execute()
    },
  }
}

function selectSessions(db: Kysely<Tables>) {
  return db.selectFrom('oauth_attempts').selectAll()
}

export function toOAuthSession(row: OAuthAttemptRow): OAuthSession {
  return {
    sessionId: row.attempt_id,
    pageHash: row.page_hash,
    stateHash: row.state_hash,
    browserHash: row.browser_hash,
    workspaceId: row.workspace_id,
    definitionId: row.definition_id,
    oauthAppId: row.oauth_app_id,
    linkId: row.link_id,
    accountId: row.account_id,
    userId: row.user_id,
    tokenId: row.token_id,
    authType: row.auth_type,
    name: row.name,
    accountIdentifier: row.account_identifier,
    sealedSecrets: row.sealed,
    redirectUrl: row.redirect_url,
    needsConfirmation: row.needs_confirm === 1,
    allowsOtherIdentity: row.allow_other_identity === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    claimedAt: row.claimed_at,
    finishedAt: row.finished_at,
    outcome: row.outcome,
  }
}

function toRow(session: OAuthSession): OAuthAttemptRow {
  return {
    attempt_id: session.sessionId,
    page_hash: session.pageHash,
    state_hash: session.stateHash,
    browser_hash: session.browserHash,
    workspace_id: session.workspaceId,
    definition_id: session.definitionId,
    oauth_app_id: session.oauthAppId,
    link_id: session.linkId,
    account_id: session.accountId,
    user_id: session.userId,
    token_id: session.tokenId,
    auth_type: session.authType,
    name: session.name,
    account_identifier: session.accountIdentifier,
    sealed: session.sealedSecrets,
    redirect_url: session.redirectUrl,
    needs_confirm: session.needsConfirmation ? 1 : 0,
    allow_other_identity: session.allowsOtherIdentity ? 1 : 0,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
    claimed_at: session.claimedAt,
    finished_at: session.finishedAt,
    outcome: session.outcome,
  }
}

/** How long a callback may run after its session was claimed, which can be in the last second before it expires. */
export const CALLBACK_GRACE_MS = 2 * 60_000

export type OAuthSessionStore = ReturnType<typeof createOAuthSessionStore>
