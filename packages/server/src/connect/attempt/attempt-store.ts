import type { Kysely } from 'kysely'
import type { Reach } from '../../caller/caller.ts'
import type { Database } from '../../storage/database.ts'
import type { AccountRow, OAuthAttemptRow, Tables } from '../../storage/tables.ts'
import { reachable } from '../../workspace/workspace-store.ts'

/** What a browser brings to its attempt when it begins. */
export interface Beginning {
  readonly stateHash: Uint8Array
  readonly browserHash: Uint8Array
  readonly sealed: Uint8Array
}

/**
 * Attempts to connect by OAuth. A page token, and after it a state, are capabilities of 256 bits that a stranger's
 * browser brings: they find the attempt, and the attempt says on whose behalf it runs.
 */
export function createAttemptStore(database: Database) {
  return {
    async insert(trx: Kysely<Tables>, reach: Reach, row: OAuthAttemptRow): Promise<void> {
      await trx
        .insertInto('oauth_attempts')
        .values({ ...row, user_id: reach.userId })
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

    find: (attemptId: string): Promise<OAuthAttemptRow | undefined> =>
      database.read
        .selectFrom('oauth_attempts')
        .selectAll()
        .where('attempt_id', '=', attemptId)
        .executeTakeFirst(),

    findFinished: (attemptId: string): Promise<OAuthAttemptRow | undefined> =>
      database.read
        .selectFrom('oauth_attempts')
        .selectAll()
        .where('attempt_id', '=', attemptId)
        .where('finished_at', 'is not', null)
        .executeTakeFirst(),

    /** Binds the attempt to the browser that begins, or begins anew; false when another one has begun it. */
    async begin(
      trx: Kysely<Tables>,
      pageHash: Uint8Array,
      beginning: Beginning,
      now: number,
    ): Promise<boolean> {
      const row = await trx
        .updateTable('oauth_attempts')
        .set({
          state_hash: beginning.stateHash,
          browser_hash: beginning.browserHash,
          sealed: beginning.sealed,
        })
        .where('page_hash', '=', pageHash)
        .where((eb) =>
          eb.or([eb('browser_hash', 'is', null), eb('browser_hash', '=', beginning.browserHash)]),
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
    async hold(
      trx: Kysely<Tables>,
      attemptId: string,
      held: {
        readonly confirmHash: Uint8Array
        readonly sealed: Uint8Array
        readonly until: number
      },
    ): Promise<boolean> {
      const row = await trx
        .updateTable('oauth_attempts')
        .set({
          page_hash: held.confirmHash,
          sealed: held.sealed,
          expires_at: held.until,
          outcome: HELD,
        })
        .where('attempt_id', '=', attemptId)
        .where('finished_at', 'is', null)
        .where('claimed_at', 'is not', null)
        .returning('attempt_id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** The attempt that waits for this token, within the caller's reach. */
    findHeld: (
      reach: Reach,
      confirmHash: Uint8Array,
      now: number,
    ): Promise<OAuthAttemptRow | undefined> =>
      database.read
        .selectFrom('oauth_attempts')
        .selectAll()
        .where('page_hash', '=', confirmHash)
        .where('outcome', '=', HELD)
        .where('finished_at', 'is', null)
        .where('expires_at', '>', now)
        .where('workspace_id', 'in', reachable(database.read, reach))
        .executeTakeFirst(),

    /** Attempts that waited for the host and whose time is over. */
    overdueHolds: (now: number, limit: number): Promise<OAuthAttemptRow[]> =>
      database.read
        .selectFrom('oauth_attempts')
        .selectAll()
        .where('outcome', '=', HELD)
        .where('finished_at', 'is', null)
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit)
        .execute(),

    /** The attempt that made the pending account of this token. */
    findMaker: (
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
      attemptId: string,
      outcome: string,
      now: number,
      made?: Pick<AccountRow, 'account_id' | 'confirm_hash'>,
    ): Promise<boolean> {
      const row = await trx
        .updateTable('oauth_attempts')
        .set({
          finished_at: now,
          outcome,
          sealed: null,
          page_hash: made?.confirm_hash ?? null,
          ...(made && { account_id: made.account_id }),
        })
        .where('attempt_id', '=', attemptId)
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
        .where('expires_at', '<', now - AT_WORK_MS)
        .where('sealed', 'is not', null)
        .execute()
      await trx.deleteFrom('oauth_attempts').where('expires_at', '<', before).execute()
    },
  }
}

/** The outcome of an attempt that waits for the host. */
export const HELD = 'unconfirmed'
/** How long a callback may be at work, one that was claimed in the last second of its attempt too. */
export const AT_WORK_MS = 2 * 60_000

export type AttemptStore = ReturnType<typeof createAttemptStore>
