import type { Kysely } from 'kysely'
import { createMemberTokenRow } from '../../access/members/member-store.ts'
import type { Database, Param, Transaction } from '../../platform/storage/database.ts'
import { type Id, newId } from '../../platform/storage/id.ts'
import type { ConsoleSessionRow, MemberRow, Tables } from '../../platform/storage/tables.ts'

/** What signs in once, on whichever node it is used. */
export interface NewClaim {
  readonly kind: 'code' | 'passkey' | 'oidc'
  /** SHA-256 of the secret. */
  readonly hash: Uint8Array
  readonly userId: Id<'usr'> | null
  readonly data?: Readonly<Record<string, unknown>>
  readonly expiresAt: number
}

/** A workspace that a person is a member of. */
export interface Membership {
  readonly memberId: Id<'mbr'>
  readonly workspaceId: Id<'wsp'>
  readonly workspaceName: string
  readonly workspaceSlug: string
  /** Whose workspace it is: the user of the tokens that act in it. */
  readonly ownerId: Id<'usr'>
  readonly role: MemberRow['role']
  readonly extraScopes: readonly string[]
  readonly tokenId: Id<'tok'>
}

/** A session with its person. */
export interface StoredSession extends ConsoleSessionRow {
  readonly email: string
  readonly firstname: string
  readonly lastname: string
}

/** The sessions of the console, what signs in to it, and the tokens that it calls the API with. */
export function createSignInStore(database: Database) {
  const queries = prepareSessionQueries(database)
  /** Whether a session has a live token with this hash. */
  const hasToken = async (
    { sessionId, tokenHash }: Pick<NewSessionToken, 'sessionId' | 'tokenHash'>,
    now: number,
  ): Promise<boolean> => (await queries.token.first({ sessionId, tokenHash, now })) !== undefined
  return {
    async insertClaim(trx: Kysely<Tables>, claim: NewClaim, now: number): Promise<void> {
      await trx.insertInto('sign_in_claims').values(toClaimRow(claim, now)).execute()
    },

    /** Uses a claim up. Undefined if it is unknown, expired or used: of a hundred who try at once, one gets it. */
    async useClaim(
      trx: Transaction,
      { kind, hash }: Pick<NewClaim, 'kind' | 'hash'>,
      now: number,
    ): Promise<{ userId: Id<'usr'> | null; data: Record<string, unknown> } | undefined> {
      const row = await trx
        .updateTable('sign_in_claims')
        .set({ used_at: now })
        .where('claim_hash', '=', hash)
        .where('kind', '=', kind)
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .returning(['user_id', 'data'])
        .executeTakeFirst()
      return row && { userId: row.user_id, data: JSON.parse(row.data) }
    },

    /** Stores a claim as used. Returns false if it was used before, on any node. */
    async spendClaim(trx: Transaction, claim: NewClaim, now: number): Promise<boolean> {
      const row = await trx
        .insertInto('sign_in_claims')
        .values({ ...toClaimRow(claim, now), used_at: now })
        .onConflict((conflict) => conflict.column('claim_hash').doNothing())
        .returning('claim_hash')
        .executeTakeFirst()
      return row !== undefined
    },

    async insertSession(trx: Transaction, session: ConsoleSessionRow): Promise<void> {
      await trx.insertInto('console_sessions').values(session).execute()
    },

    /** The session of a cookie, ended or not. */
    findSession: (secretHash: Uint8Array): Promise<StoredSession | undefined> =>
      queries.session.first({ secretHash }),

    /** Whether a session has not ended, in a transaction. */
    async isOpen(trx: Transaction, sessionId: Id<'ses'>): Promise<boolean> {
      const row = await trx
        .selectFrom('console_sessions')
        .select('session_id')
        .where('session_id', '=', sessionId)
        .where('ended_at', 'is', null)
        .executeTakeFirst()
      return row !== undefined
    },

    async updateSession(
      sessionId: Id<'ses'>,
      change: Partial<Pick<ConsoleSessionRow, 'last_seen_at' | 'idle_ends_at' | 'workspace_id'>>,
    ): Promise<void> {
      await database.transaction((trx) =>
        trx
          .updateTable('console_sessions')
          .set(change)
          .where('session_id', '=', sessionId)
          .execute(),
      )
    },

    /** Gives a session another secret and the elevated scopes for a while; the tokens of the former secret are revoked. */
    async elevateSession(
      trx: Transaction,
      sessionId: Id<'ses'>,
      { secretHash, elevatedUntil, now }: NewElevation,
    ): Promise<void> {
      await trx
        .updateTable('console_sessions')
        .set({ secret_hash: secretHash, elevated_until: elevatedUntil })
        .where('session_id', '=', sessionId)
        .where('ended_at', 'is', null)
        .execute()
      await revokeTokens(trx, sessionId, now)
    },

    /** Ends a session of this person and revokes its tokens. Returns its workspace; undefined if it has ended, or is another's. */
    async endSession(
      trx: Transaction,
      { sessionId, userId }: Pick<NewSessionToken, 'sessionId' | 'userId'>,
      now: number,
    ): Promise<Id<'wsp'> | undefined> {
      const row = await trx
        .updateTable('console_sessions')
        .set({ ended_at: now })
        .where('session_id', '=', sessionId)
        .where('user_id', '=', userId)
        .where('ended_at', 'is', null)
        .returning('workspace_id')
        .executeTakeFirst()
      if (row === undefined) return undefined
      await revokeTokens(trx, sessionId, now)
      return row.workspace_id
    },

    /** The sessions of a person that have not ended, the one that was used last first. */
    async listSessions(userId: Id<'usr'>, now: number): Promise<OpenSession[]> {
      const rows = await database.read
        .selectFrom('console_sessions')
        .selectAll()
        .where('user_id', '=', userId)
        .where('ended_at', 'is', null)
        .where('idle_ends_at', '>', now)
        .where('ends_at', '>', now)
        .orderBy('last_seen_at', 'desc')
        .limit(MAX_SESSIONS)
        .execute()
      return rows.map(toOpenSession)
    },

    /** The workspaces of a person, oldest first. `MemberStore.addOwners` adds those of owners before. */
    async listMemberships(userId: Id<'usr'>): Promise<Membership[]> {
      const rows = await queries.memberships.all({ userId })
      return rows.flatMap((row) => (row.token_id === null ? [] : [toMembership(row, row.token_id)]))
    },

    /** Notes that the e-mail of a user is verified. Returns whether it is the first time, and the user owns no workspace. */
    async markVerified(trx: Transaction, userId: Id<'usr'>, now: number): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('verified_emails')
        .values({ user_id: userId, verified_at: now })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow()
      if (numInsertedOrUpdatedRows !== 1n) return false
      const own = await trx
        .selectFrom('workspaces')
        .select('workspace_id')
        .where('user_id', '=', userId)
        .limit(1)
        .executeTakeFirst()
      return own === undefined
    },

    /** Removes the passkeys of a person and ends their sessions. */
    async endSignIns(trx: Transaction, userId: Id<'usr'>, now: number): Promise<void> {
      await trx.deleteFrom('passkeys').where('user_id', '=', userId).execute()
      await trx
        .updateTable('console_sessions')
        .set({ ended_at: now })
        .where('user_id', '=', userId)
        .where('ended_at', 'is', null)
        .execute()
    },

    hasToken,

    /**
     * Adds a token to a session, unless the session or the membership has ended. Another request of the session may have added it.
     * Returns whether the session has it, and it was not revoked.
     */
    insertToken: async (token: NewSessionToken): Promise<boolean> =>
      (await insertToken(database, token)) || hasToken(token, token.createdAt),
  }
}

/** What every request of a session reads. */
function prepareSessionQueries(database: Database) {
  return {
    session: database.prepare((db, param: Param<{ secretHash: Uint8Array }>) =>
      db
        .selectFrom('console_sessions')
        .innerJoin('users', 'users.user_id', 'console_sessions.user_id')
        .selectAll('console_sessions')
        .select(['users.email', 'users.firstname', 'users.lastname'])
        .where('secret_hash', '=', param('secretHash')),
    ),
    memberships: database.prepare((db, param: Param<{ userId: Id<'usr'> }>) =>
      db
        .selectFrom('members')
        .innerJoin('workspaces', 'workspaces.workspace_id', 'members.workspace_id')
        .selectAll('members')
        .select(['workspaces.name', 'workspaces.slug', 'workspaces.user_id as owner_id'])
        .where('members.user_id', '=', param('userId'))
        .where('members.ended_at', 'is', null)
        .where('workspaces.deleted_at', 'is', null)
        .orderBy('workspaces.created_at')
        .orderBy('workspaces.workspace_id'),
    ),
    token: database.prepare(
      (db, param: Param<{ sessionId: Id<'ses'>; tokenHash: Uint8Array; now: number }>) =>
        db
          .selectFrom('tokens')
          .innerJoin('session_tokens', 'session_tokens.token_id', 'tokens.token_id')
          .select('tokens.token_id')
          .where('token_hash', '=', param('tokenHash'))
          .where('session_id', '=', param('sessionId'))
          .where('revoked_at', 'is', null)
          .where((eb) =>
            eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', param('now'))]),
          ),
    ),
  }
}

function toClaimRow(claim: NewClaim, now: number): Tables['sign_in_claims'] {
  return {
    claim_hash: claim.hash,
    kind: claim.kind,
    user_id: claim.userId,
    data: JSON.stringify(claim.data ?? {}),
    created_at: now,
    expires_at: claim.expiresAt,
    used_at: null,
  }
}

/** A session as its person sees it. */
export interface OpenSession {
  readonly sessionId: Id<'ses'>
  readonly method: string
  readonly userAgent: string | null
  readonly ip: string | null
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly lastSeenAt: number
}

/** How many sessions of a person are listed, and ended at once. */
const MAX_SESSIONS = 200

function toOpenSession(row: ConsoleSessionRow): OpenSession {
  return {
    sessionId: row.session_id,
    method: row.method,
    userAgent: row.user_agent,
    ip: row.ip,
    startedAt: row.created_at,
    lastSeenAt: row.last_seen_at,
  }
}

export type SignInStore = ReturnType<typeof createSignInStore>

/** What an elevation changes of a session. */
export interface NewElevation {
  readonly secretHash: Uint8Array
  readonly elevatedUntil: number
  readonly now: number
}

async function revokeTokens(trx: Transaction, sessionId: Id<'ses'>, now: number): Promise<void> {
  await trx
    .updateTable('tokens')
    .set({ revoked_at: now })
    .where('revoked_at', 'is', null)
    .where('token_id', 'in', (eb) =>
      eb
        .selectFrom('session_tokens')
        .select('session_tokens.token_id')
        .where('session_id', '=', sessionId),
    )
    .execute()
}

/** A token of a session to be stored. */
export interface NewSessionToken {
  readonly sessionId: Id<'ses'>
  /** The person. */
  readonly userId: Id<'usr'>
  readonly membership: Membership
  /** Whether it is for the workspace of the membership only. */
  readonly isBound: boolean
  readonly tokenHash: Uint8Array
  readonly scopes: readonly string[]
  readonly createdAt: number
  readonly expiresAt: number
}

function toMembership(
  row: MemberRow & { name: string; slug: string; owner_id: Id<'usr'> },
  tokenId: Id<'tok'>,
): Membership {
  return {
    memberId: row.member_id,
    workspaceId: row.workspace_id,
    workspaceName: row.name,
    workspaceSlug: row.slug,
    ownerId: row.owner_id,
    role: row.role,
    extraScopes: row.extra_scopes === '' ? [] : row.extra_scopes.split(' '),
    tokenId,
  }
}

/** @returns false if the session or the membership has ended, or if the token exists */
function insertToken(database: Database, token: NewSessionToken): Promise<boolean> {
  const { sessionId, userId, membership, createdAt } = token
  return database.transaction(
    async (trx) => {
      const live = await trx
        .selectFrom('console_sessions')
        .innerJoin('members', 'members.user_id', 'console_sessions.user_id')
        .innerJoin('tokens', 'tokens.token_id', 'members.token_id')
        .select('members.member_id')
        .where('session_id', '=', sessionId)
        .where('console_sessions.ended_at', 'is', null)
        .where('members.member_id', '=', membership.memberId)
        .where('members.ended_at', 'is', null)
        .where('members.token_id', '=', membership.tokenId)
        .where('tokens.revoked_at', 'is', null)
        .executeTakeFirst()
      if (live === undefined) return false
      const tokenId = newId('tok', createdAt)
      const inserted = await trx
        .insertInto('tokens')
        .values({
          ...createMemberTokenRow({
            tokenId,
            ownerId: membership.ownerId,
            workspaceId: membership.workspaceId,
            now: createdAt,
          }),
          ...(!token.isBound && { workspace_id: null }),
          token_hash: token.tokenHash,
          parent_token_id: membership.tokenId,
          scopes: token.scopes.join(' '),
          origin: 'session',
          expires_at: token.expiresAt,
        })
        .onConflict((conflict) => conflict.column('token_hash').doNothing())
        .returning('token_id')
        .executeTakeFirst()
      if (inserted === undefined) return false
      await trx
        .insertInto('session_tokens')
        .values({ token_id: tokenId, session_id: sessionId, user_id: userId })
        .execute()
      return true
    },
    { serializable: true },
  )
}
