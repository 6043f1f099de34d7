import type { Kysely } from 'kysely'
import type { AccessScope } from '../auth/caller.ts'
import type { Database } from '../storage/database.ts'
import type { AccountRow, OAuthAttemptRow, Tables } from '../storage/tables.ts'
import { visibleWorkspaceIds } from '../workspaces/workspace-store.ts'

/** What a browser brings to its attempt when it begins. */
export interface BrowserBinding {
  readonly stateHash: Uint8Array
  readonly browserHash: Uint8Array
  readonly sealed: Uint8Array
}

/**
 * Attempts to connect by OAuth. A page token, and after it a state, are capabilities of 256 bits that a stranger's
 * browser brings: they find the attempt, and the attempt says on whose behalf it runs.
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

    /** The attempt of a page, until the browser comes back or its time is over. */
    findByPage: (pageHash: Uint8Array, now: number): Promise<OAuthAttemptRow | undefined> =>
      database.read
        .selectFrom('oauth_attempts')
        .selectAll()
        .where('page_hash', '=', pageHash)
        .where('claimed_at', 'is', null)
        .where('expires_at', '>', now)
        .executeTakeFirst(),

    findByState: (stateHash: Uint8Array): Promise<OAuthAttemptRow | undefined> =>
      database.read
        .selectFrom('oauth_attempts')
        .selectAll()
        .where('state_hash', '=', stateHash)
        .executeTakeFirst(),

    find: (sessionId: string): Promise<OAuthAttemptRow | undefined> =>
      database.read
        .selectFrom('oauth_attempts')
        .selectAll()
        .where('attempt_id', '=', sessionId)
        .executeTakeFirst(),

    findFinished: (sessionId: string): Promise<OAuthAttemptRow | undefined> =>
      database.read
        .selectFrom('oauth_attempts')
        .selectAll()
        .where('attempt_id', '=', sessionId)
        .where('finished_at', 'is not', null)
        .executeTakeFirst(),

    /** Binds the attempt to the browser that begins, or begins anew; false when another one has begun it. */
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

    /** Takes the attempt for one callback; undefined when it is unknown, expired or taken. */
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

    /** Keeps a claimed attempt until the host confirms what it has brought. */
    async awaitConfirmation(
      trx: Kysely<Tables>,
      sessionId: string,
      confirmation: {
        readonly confirmHash: Uint8Array
        readonly sealed: Uint8Array
        readonly until: number
      },
    ): Promise<boolean> {
      const row = await trx
        .updateTable('oauth_attempts')
        .set({
          page_hash: confirmation.confirmHash,
          sealed: confirmation.sealed,
          expires_at: confirmation.until,
          outcome: AWAITING_CONFIRMATION,
        })
        .where('attempt_id', '=', sessionId)
        .where('finished_at', 'is', null)
        .where('claimed_at', 'is not', null)
        .returning('attempt_id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** The attempt that waits for this token, within the caller's reach. */
    findAwaitingConfirmation: (
      accessScope: AccessScope,
      confirmHash: Uint8Array,
      now: number,
    ): Promise<OAuthAttemptRow | undefined> =>
      database.read
        .selectFrom('oauth_attempts')
        .selectAll()
        .where('page_hash', '=', confirmHash)
        .where('outcome', '=', AWAITING_CONFIRMATION)
        .where('finished_at', 'is', null)
        .where('expires_at', '>', now)
        .where('workspace_id', 'in', visibleWorkspaceIds(database.read, accessScope))
        .executeTakeFirst(),

    /** Attempts that waited for the host and whose time is over. */
    findOverdueConfirmations: (now: number, limit: number): Promise<OAuthAttemptRow[]> =>
      database.read
        .selectFrom('oauth_attempts')
        .selectAll()
        .where('outcome', '=', AWAITING_CONFIRMATION)
        .where('finished_at', 'is', null)
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit)
        .execute(),

    /** The attempt that made the pending account of this token. */
    findByConfirmHash: (
      trx: Kysely<Tables>,
      confirmHash: Uint8Array,
    ): Promise<OAuthAttemptRow | undefined> =>
      trx
        .selectFrom('oauth_attempts')
        .selectAll()
        .where('page_hash', '=', confirmHash)
        .where('finished_at', 'is not', null)
        .executeTakeFirst(),

    /**
     * Ends an attempt that was claimed; tells whether it was still open. Its secrets are erased. With what it `made` it
     * says which account that is, and is found by the hash of the token that confirms it.
     */
    async finish(
      trx: Kysely<Tables>,
      sessionId: string,
      outcome: string,
      now: number,
      createdAccount?: Pick<AccountRow, 'account_id' | 'confirm_hash'>,
    ): Promise<boolean> {
      const row = await trx
        .updateTable('oauth_attempts')
        .set({
          finished_at: now,
          outcome,
          sealed: null,
          page_hash: createdAccount?.confirm_hash ?? null,
          ...(createdAccount && { account_id: createdAccount.account_id }),
        })
        .where('attempt_id', '=', sessionId)
        .where('finished_at', 'is', null)
        .returning('attempt_id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** Erases the secrets of attempts whose time is over, and forgets those that ended long ago. */
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

/** The outcome of an attempt that waits for the host. */
export const AWAITING_CONFIRMATION = 'unconfirmed'
/** How long a callback may be at work, one that was claimed in the last second of its attempt too. */
export const CALLBACK_GRACE_MS = 2 * 60_000

export type OAuthSessionStore = ReturnType<typeof createOAuthSessionStore>
