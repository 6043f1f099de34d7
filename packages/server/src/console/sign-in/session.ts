import { createHmac, type KeyObject, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { deriveAccessToken } from '../../access/auth/access-token.ts'
import { hashSessionToken } from '../../access/auth/session-token.ts'
import { getRoleScopes, type Level } from '../../access/members/roles.ts'
import { isForeignPart, readCookie, serializeCookie } from '../../platform/http/browser-request.ts'
import type { Actor } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import { type Id, newId } from '../../platform/storage/id.ts'
import { acceptRemembered, type JoinDeps } from './join.ts'
import type { Membership, SignInStore, StoredSession } from './sign-in-store.ts'

/** The cookie of a session: 256 random bits, of which only a keyed hash is stored. */
export const SESSION_COOKIE = 'linchpin-console'

const HOUR_MS = 60 * 60 * 1_000
/** A session ends after this time without use. */
const IDLE_MS = 12 * HOUR_MS
/** A session ends after this time in any case. */
const LIFETIME_MS = 7 * 24 * HOUR_MS
/** How long the elevated scopes last. */
const ELEVATED_MS = 10 * 60 * 1_000
/** The last use is stored at most this often. */
const SEEN_EVERY_MS = 60 * 1_000

/** A person in the console, acting in one workspace. */
export interface ConsoleSession {
  readonly sessionId: Id<'ses'>
  readonly userId: Id<'usr'>
  readonly email: string
  /** The name for people: first and last name, otherwise the e-mail. */
  readonly name: string
  readonly membership: Membership
  /** All workspaces of the person, oldest first. */
  readonly memberships: readonly Membership[]
  /** Epoch milliseconds; null while it has only the normal scopes. */
  readonly elevatedUntil: number | null
  readonly endsAt: number
  /** How the person signed in, and when. */
  readonly method: string
  readonly startedAt: number
  /** The value of the cookie. Never in a page. */
  readonly secret: string
}

export interface SessionDeps extends JoinDeps {
  readonly signIns: SignInStore
  /** Derives the tokens of sessions: a change of the first key of the key ring ends all of them. */
  readonly sessionKey: KeyObject
  /** The first user of the instance. */
  readonly findInstanceOwner: () => Promise<Id<'usr'> | undefined>
}

/** Who signed in, and how. */
export interface SignedIn {
  readonly userId: Id<'usr'>
  readonly email: string
  readonly method: 'code' | 'passkey' | 'oidc' | 'invitation'
  /** Whether what they signed in with still does, in the transaction that begins the session. Absent: it was used up. */
  readonly isStillValid?: ((trx: Transaction) => Promise<boolean>) | undefined
}

/**
 * Begins a session and sets its cookie; the session that the browser had ends.
 *
 * @returns false for a person without a workspace, or if what they signed in with was removed meanwhile
 */
export async function beginSession(
  deps: SessionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { userId, email, method, isStillValid }: SignedIn,
): Promise<boolean> {
  const now = deps.now()
  await deps.members.addOwners({ userId, email }, now)
  const joined = await acceptRemembered(deps, request, reply, userId)
  const memberships = await deps.signIns.listMemberships(userId)
  const membership = memberships.find(({ workspaceId }) => workspaceId === joined) ?? memberships[0]
  if (membership === undefined) return false
  const earlier = await findStoredSession(deps, request)
  const secret = randomBytes(32).toString('base64url')
  const session = {
    session_id: newId('ses', now),
    secret_hash: hashCookie(deps, secret),
    user_id: userId,
    workspace_id: membership.workspaceId,
    method,
    user_agent: request.headers['user-agent']?.slice(0, 300) ?? null,
    ip: request.ip,
    created_at: now,
    last_seen_at: now,
    idle_ends_at: now + IDLE_MS,
    ends_at: now + LIFETIME_MS,
    elevated_until: null,
    ended_at: null,
  }
  const actor = toActor(request, userId)
  const begin = async (trx: Transaction): Promise<boolean> => {
    if ((await isStillValid?.(trx)) === false) return false
    if (earlier !== undefined) {
      const { session_id: sessionId, user_id } = earlier
      const ended = { sessionId, userId: user_id, reason: 'replaced' } as const
      await endAndRecord(deps, trx, actor, ended)
    }
    await deps.signIns.insertSession(trx, session)
    await record(trx, actor, now, {
      action: 'session.created',
      workspaceId: membership.workspaceId,
      subject: session.session_id,
      detail: { method },
    })
    return true
  }
  // Serializable: what ends all sessions of a person ends this one, or this one sees it.
  const hasBegun = await deps.database.transaction(begin, { serializable: true })
  if (hasBegun) setCookie(deps, reply, secret, LIFETIME_MS)
  return hasBegun
}

/** The session of a request; undefined without one, or if it has ended. */
export async function findSession(
  deps: SessionDeps,
  request: FastifyRequest,
): Promise<ConsoleSession | undefined> {
  const stored = await findStoredSession(deps, request)
  if (stored === undefined) return undefined
  const now = deps.now()
  const { user_id: userId, email } = stored
  await deps.members.addOwners({ userId, email }, now)
  const memberships = await deps.signIns.listMemberships(userId)
  const membership = findCurrent(memberships, stored)
  if (membership === undefined) return undefined
  if (now - stored.last_seen_at >= SEEN_EVERY_MS)
    await deps.signIns.updateSession(stored.session_id, {
      last_seen_at: now,
      idle_ends_at: Math.min(stored.ends_at, now + IDLE_MS),
    })
  const { elevated_until: elevatedUntil } = stored
  return {
    sessionId: stored.session_id,
    userId,
    email,
    name: `${stored.firstname} ${stored.lastname}`.trim() || email,
    membership,
    memberships,
    elevatedUntil: elevatedUntil !== null && elevatedUntil > now ? elevatedUntil : null,
    endsAt: stored.ends_at,
    method: stored.method,
    startedAt: stored.created_at,
    secret: readSecret(deps, request) ?? '',
  }
}

/** Whether a session has not ended and acts in the same membership. Unlike `findSession`, it does not count as use. */
export async function isSessionCurrent(
  deps: SessionDeps,
  request: FastifyRequest,
  { sessionId, membership }: Pick<ConsoleSession, 'sessionId' | 'membership'>,
): Promise<boolean> {
  const stored = await findStoredSession(deps, request)
  if (stored?.session_id !== sessionId) return false
  const memberships = await deps.signIns.listMemberships(stored.user_id)
  return findCurrent(memberships, stored)?.tokenId === membership.tokenId
}

/** That of the workspace of the session; the oldest one if the person no longer has that. */
function findCurrent(
  memberships: readonly Membership[],
  { workspace_id: workspaceId }: Pick<StoredSession, 'workspace_id'>,
): Membership | undefined {
  return memberships.find((each) => each.workspaceId === workspaceId) ?? memberships[0]
}

/** Gives a session the elevated scopes of its role for ten minutes, and another secret. */
export async function elevateSession(
  deps: SessionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    session: { sessionId, userId, endsAt, membership },
    method,
  }: { readonly session: ConsoleSession; readonly method: SignedIn['method'] },
): Promise<void> {
  const secret = randomBytes(32).toString('base64url')
  const now = deps.now()
  const elevation = {
    secretHash: hashCookie(deps, secret),
    elevatedUntil: Math.min(endsAt, now + ELEVATED_MS),
    now,
  }
  await deps.database.transaction(async (trx) => {
    await deps.signIns.elevateSession(trx, sessionId, elevation)
    await record(trx, toActor(request, userId), now, {
      action: 'session.elevated',
      workspaceId: membership.workspaceId,
      subject: sessionId,
      detail: { method },
    })
  })
  setCookie(deps, reply, secret, endsAt - now)
}

/** Ends the session of a request and removes its cookie. */
export async function endSession(
  deps: SessionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { sessionId, userId }: Pick<ConsoleSession, 'sessionId' | 'userId'>,
): Promise<void> {
  const ended = { sessionId, userId, reason: 'signed out' } as const
  await deps.database.transaction((trx) => endAndRecord(deps, trx, toActor(request, userId), ended))
  setCookie(deps, reply, '', 0)
}

/** Ends other sessions of a person: those with these IDs, as far as they are theirs and have not ended. */
export async function endOtherSessions(
  deps: SessionDeps,
  request: FastifyRequest,
  { sessionId: current, userId }: Pick<ConsoleSession, 'sessionId' | 'userId'>,
  sessionIds: readonly Id<'ses'>[],
): Promise<void> {
  const actor = toActor(request, userId)
  await deps.database.transaction(async (trx) => {
    for (const sessionId of sessionIds)
      if (sessionId !== current)
        await endAndRecord(deps, trx, actor, { sessionId, userId, reason: 'ended by its person' })
  })
}

interface EndedSession extends Pick<ConsoleSession, 'sessionId' | 'userId'> {
  readonly reason: 'signed out' | 'replaced' | 'ended by its person'
}

async function endAndRecord(
  { signIns, now }: Pick<SessionDeps, 'signIns' | 'now'>,
  trx: Transaction,
  actor: Actor,
  { sessionId, userId, reason }: EndedSession,
): Promise<void> {
  const time = now()
  const workspaceId = await signIns.endSession(trx, { sessionId, userId }, time)
  if (workspaceId === undefined) return
  await record(trx, actor, time, {
    action: 'session.ended',
    workspaceId,
    subject: sessionId,
    detail: { reason },
  })
}

/** A person of the console, as the audit trail names them. */
export function toActor({ id: requestId, auditIp: ip }: FastifyRequest, userId: Id<'usr'>): Actor {
  return {
    userId,
    tokenId: null,
    requestId,
    kind: 'person',
    via: 'console',
    ip,
  }
}

function setCookie(
  { consoleUrl }: Pick<SessionDeps, 'consoleUrl'>,
  reply: FastifyReply,
  secret: string,
  lifetimeMs: number,
): void {
  const options = { seconds: Math.ceil(lifetimeMs / 1_000), baseUrl: consoleUrl() }
  reply.header('set-cookie', serializeCookie(SESSION_COOKIE, secret, options))
}

/**
 * The access token with which a session calls the API, created when it is first needed. Its value follows from the secret in the
 * cookie, so it is neither stored nor sent to a browser.
 *
 * @returns undefined if the session or the membership has ended meanwhile
 */
export async function getSessionToken(
  deps: SessionDeps,
  session: ConsoleSession,
  level: Level,
): Promise<string | undefined> {
  const { membership, sessionId, userId } = session
  const isInstance = level === 'instance'
  if (isInstance && !(session.elevatedUntil !== null && (await isInstanceOwner(deps, session))))
    return undefined
  const token = deriveToken(deps, session, level)
  const tokenHash = hashSessionToken(token)
  const now = deps.now()
  if (await deps.signIns.hasToken({ sessionId, tokenHash }, now)) return token
  const wasInserted = await deps.signIns.insertToken({
    sessionId,
    userId,
    membership,
    isBound: !isInstance,
    tokenHash,
    scopes: getRoleScopes(membership.role, level, membership.extraScopes),
    createdAt: now,
    expiresAt: level === 'normal' ? session.endsAt : (session.elevatedUntil ?? now),
  })
  return wasInserted ? token : undefined
}

/** Whether the person owns the instance, and acts in a workspace of theirs: only then the parent of the token is theirs, too. */
export async function isInstanceOwner(
  { findInstanceOwner }: Pick<SessionDeps, 'findInstanceOwner'>,
  { userId, membership }: Pick<ConsoleSession, 'userId' | 'membership'>,
): Promise<boolean> {
  const isOwner = membership.role === 'owner' && membership.ownerId === userId
  return isOwner && (await findInstanceOwner()) === userId
}

/** The stored form of a cookie. With another first key in the key ring, no cookie is found any more. */
function hashCookie({ sessionKey }: Pick<SessionDeps, 'sessionKey'>, secret: string): Uint8Array {
  return createHmac('sha256', sessionKey).update(`cookie ${secret}`).digest()
}

/** The parent is part of it: after a change of role, another parent has other tokens. */
function deriveToken(
  { sessionKey }: Pick<SessionDeps, 'sessionKey'>,
  { secret, membership, elevatedUntil }: ConsoleSession,
  level: Level,
): string {
  const parts = [secret, membership.tokenId, level, level === 'normal' ? '' : elevatedUntil]
  return deriveAccessToken(createHmac('sha256', sessionKey).update(parts.join(' ')).digest())
}

async function findStoredSession(
  deps: SessionDeps,
  request: FastifyRequest,
): Promise<StoredSession | undefined> {
  const secret = readSecret(deps, request)
  if (secret === undefined) return undefined
  const stored = await deps.signIns.findSession(hashCookie(deps, secret))
  const now = deps.now()
  const isLive =
    stored !== undefined &&
    stored.ended_at === null &&
    stored.idle_ends_at > now &&
    stored.ends_at > now
  return isLive ? stored : undefined
}

function readSecret(
  { consoleUrl }: Pick<SessionDeps, 'consoleUrl'>,
  request: FastifyRequest,
): string | undefined {
  if (isForeignPart(request)) return undefined
  const value = readCookie(request, SESSION_COOKIE, consoleUrl())
  return value !== undefined && /^[A-Za-z0-9_-]{43}$/.test(value) ? value : undefined
}
