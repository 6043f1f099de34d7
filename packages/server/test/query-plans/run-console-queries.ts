import { createAccessTokenStore } from '../../src/access/auth/access-token-store.ts'
import { createMemberStore } from '../../src/access/members/member-store.ts'
import { createUserStore } from '../../src/access/users/user-store.ts'
import { createPasskeyStore } from '../../src/console/sign-in/passkey-store.ts'
import { createSignInRetentionStore } from '../../src/console/sign-in/sign-in-retention-store.ts'
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
    await signIns.spendClaim(trx, { ...claim, hash: randomHash() }, now)
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
  await database.transaction(async (trx) => {
    await signIns.markVerified(trx, userId, now)
    await signIns.endSignIns(trx, newId('usr', now), now)
  })
  await signIns.findSession(session.secret_hash)
  await signIns.updateSession(session.session_id, { last_seen_at: now })
  const tokenHash = randomHash()
  const token = {
    sessionId: session.session_id,
    userId,
    membership,
    isBound: true,
    tokenHash,
    scopes: ['read'],
    createdAt: now,
    expiresAt: now + 1_000,
  }
  await signIns.insertToken(token)
  // As if two requests of the session had needed it at once.
  await signIns.insertToken(token)
  await createAccessTokenStore(database).findPerson(newId('tok', now))
  await runMemberQueries(database, membership, userId)
  await signIns.hasToken({ sessionId: session.session_id, tokenHash }, now)
  const elevation = { secretHash: randomHash(), elevatedUntil: now + 1, now }
  const { session_id: sessionId } = session
  const expired = {
    ...session,
    session_id: newId('ses', now),
    secret_hash: randomHash(),
    idle_ends_at: now,
  }
  await database.transaction((trx) => signIns.insertSession(trx, expired))
  await signIns.listSessions(userId, now)
  await database.transaction(async (trx) => {
    await signIns.elevateSession(trx, sessionId, elevation)
    await signIns.isOpen(trx, sessionId)
    await signIns.endSession(trx, { sessionId, userId }, now)
  })
  await runPasskeyQueries(database, userId)
  await runRetentionQueries(database)
}

async function runPasskeyQueries(database: Database, userId: Id<'usr'>): Promise<void> {
  const passkeys = createPasskeyStore(database)
  const now = Date.now()
  const passkey = {
    passkeyId: newId('psk', now),
    userId,
    credentialId: Buffer.from(randomHash()).toString('base64url'),
    publicKey: randomHash(),
    counter: 1,
    transports: [],
    name: 'Laptop',
    createdAt: now,
  }
  await passkeys.exists()
  await passkeys.exists(userId)
  await passkeys.list(userId)
  await passkeys.findByCredential(passkey.credentialId)
  await database.transaction(async (trx) => {
    await passkeys.count(trx, userId)
    await passkeys.insert(trx, passkey)
    await passkeys.has(trx, passkey.passkeyId)
    await passkeys.use(trx, { ...passkey, counter: 2 }, now)
    await passkeys.rename(trx, { ...passkey, name: 'Phone' })
    await passkeys.delete(trx, passkey)
  })
}

const DAY_MS = 24 * 60 * 60_000

async function runRetentionQueries(database: Database): Promise<void> {
  const retention = createSignInRetentionStore(database)
  const now = Date.now() + DAY_MS
  await database.transaction((trx) => retention.endExpired(trx, now, 10))
  await retention.deleteEnded(now + 1, 10)
  await retention.deleteClaims(now, 10)
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
