import type { Kysely } from 'kysely'
import type { Account } from '../accounts/account.ts'
import type { AccessScope } from '../auth/caller.ts'
import type { Database } from '../storage/database.ts'
import type { OAuthAttemptRow, Tables } from '../storage/tables.ts'

/** What binds a session to a browser. */
export interface BrowserBinding {
  readonly stateHash: Uint8Array
  readonly browserHash: Uint8Array
  readonly sealed: Uint8Array
}

/**
 * Stores OAuth sessions: attempts to connect an account through OAuth. A page token, and later a state, are 256-bit
 * capabilities of an unauthenticated browser: they identify the session, and the session row defines the access scope.
 */
export function createOAuthSessionStore(database: Database) {
  return {
    async insert(
      trx: Kysely<Tables>,
      accessScope: AccessScope,
      row: OAuthAttemptRow,
    ): Promise<void> {
      await trx
        .insertInto('oauth_attempts')
        .values({ ...row, user_id: accessScope.userId })
        .execute()
    },

    /** Finds the session of a page token until its callback is claimed or it expires. */
    findByPage: (pageHash: Uint8Array, now: number): Promise<OAuthAttemptRow | undefined> =>
      selectSessions(database.read)
        .where('page_hash', '=', pageHash)
        .where('claimed_at', 'is', null)
        .where('expires_at', '>', now)
        .executeTakeFirst(),

    findByState: (stateHash: Uint8Array): Promise<OAuthAttemptRow | undefined> =>
      selectSessions(database.read).where('state_hash', '=', stateHash).executeTakeFirst(),

    find: (sessionId: string): Promise<OAuthAttemptRow | undefined> =>
      selectSessions(database.read).where('attempt_id', '=', sessionId).executeTakeFirst(),

    findFinished: (sessionId: string): Promise<OAuthAttemptRow | undefined> =>
      selectSessions(database.read)
        .where('attempt_id', '=', sessionId)
        .where('finished_at', 'is not', null)
        .executeTakeFirst(),

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
    claim: (
      trx: Kysely<Tables>,
      stateHash: Uint8Array,
      now: number,
    ): Promise<OAuthAttemptRow | undefined> =>
      trx
        .updateTable('oauth_attempts')
        .set({ claimed_at: now })
        .where('state_hash', '=', stateHash)
        .where('claimed_at', 'is', null)
        .where('expires_at', '>', now)
        .returningAll()
        .executeTakeFirst(),

    /**
     * Finishes a session and erases its secrets; returns whether it was still open. With `createdAccount`, stores which
     * account it created, and the hash of the confirmation token that activates it.
     */
    async finish(
      trx: Kysely<Tables>,
      sessionId: string,
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

/** How long a callback may run after its session was claimed, which can be in the last second before it expires. */
export const CALLBACK_GRACE_MS = 2 * 60_000

export type OAuthSessionStore = ReturnType<typeof createOAuthSessionStore>
