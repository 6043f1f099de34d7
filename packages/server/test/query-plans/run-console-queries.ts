import { createAccessTokenStore } from '../../src/access/auth/access-token-store.ts'
import { createMemberStore } from '../../src/access/members/member-store.ts'
import { createUserStore } from '../../src/access/users/user-store.ts'
import { createSignInStore, type Membership } from '../../src/console/sign-in/sign-in-store.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import { type Id, newId } from '../../src/platform/storage/id.ts'
import { createSampleRows } from '../../src/platform/storage/test/sample-rows.ts'

/** Runs the statements of the sign-in to the console. */
export async function runConsoleQueries(database: Database, userId: Id<'usr'>): Promise<void> {
  const signIns = createSignInStore(database)
  const members = createMemberStore(database)
  const now = Date.now()
  const user = await createUserStore(database).find(userId)
  await createUserStore(database).findByEmail(database.read, user?.email ?? '')
  await database.transaction(async (trx) => {
    const claim = { kind: 'code', hash: randomHash(), userId, expiresAt: now + 1_000 } as const
    await signIns.insertClaim(trx, claim, now)
    await signIns.useClaim(trx, claim, now)
    await signIns.deleteOldClaims(trx, now)
  })
  await members.addOwners({ userId, email: user?.email ?? '' }, now)
  const [membership] = await signIns.listMemberships(userId)
  if (membership === undefined) throw new Error('the user has no workspace')
  const session = {
    ...createSampleRows(now).console_sessions,
    session_id: newId('ses', now),
    secret_hash: randomHash(),
    user_id: userId,
    workspace_id: membership.workspaceId,
  }
  await database.transaction((trx) => signIns.insertSession(trx, session))
  await signIns.findSession(session.secret_hash)
  await signIns.updateSession(session.session_id, { last_seen_at: now })
  const tokenHash = randomHash()
  await signIns.insertToken({
    sessionId: session.session_id,
    userId,
    membership,
    tokenHash,
    scopes: ['read'],
    createdAt: now,
    expiresAt: now + 1_000,
  })
  await createAccessTokenStore(database).findPerson(newId('tok', now))
  await runMemberQueries(database, membership, userId)
  await signIns.hasToken(session.session_id, tokenHash, now)
  const elevation = { secretHash: randomHash(), elevatedUntil: now + 1, now }
  await signIns.elevateSession(session.session_id, elevation)
  await signIns.endSession(session.session_id, now)
}

async function runMemberQueries(
  database: Database,
  { workspaceId }: Pick<Membership, 'workspaceId'>,
  userId: Id<'usr'>,
): Promise<void> {
  const members = createMemberStore(database)
  const now = Date.now()
  const access = { userId, boundWorkspaceId: null }
  const email = `grace-${now}@example.com`
  const invitation = { hash: randomHash(), until: now + 1_000 }
  await members.list(access, workspaceId)
  await members.listTokens(access, workspaceId, now)
  await members.findInvited(database.read, randomHash(), now)
  await database.transaction(async (trx) => {
    const memberId = newId('mbr', now)
    await members.count(trx, workspaceId)
    await members.insert(
      trx,
      { memberId, workspaceId, email, role: 'viewer', extraScopes: [], invitation },
      now,
    )
    await members.update(trx, { memberId }, { role: 'admin', extraScopes: [], invitation }, now)
    await members.accept(trx, { memberId, workspaceId, ownerId: userId }, userId, now)
    await members.findByEmail(trx, workspaceId, email)
    const member = await members.find(trx, access, memberId)
    if (member === undefined) throw new Error('the member is missing')
    await members.replaceToken(trx, member, { ownerId: userId, isRevoked: true, now })
    await members.end(trx, member, userId, now)
  })
}

function randomHash(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32))
}
