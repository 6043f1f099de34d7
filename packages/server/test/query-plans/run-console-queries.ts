import { createUserStore } from '../../src/access/users/user-store.ts'
import { createSignInStore } from '../../src/console/sign-in/sign-in-store.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import { type Id, newId } from '../../src/platform/storage/id.ts'
import { createSampleRows } from '../../src/platform/storage/test/sample-rows.ts'

/** Runs the statements of the sign-in to the console. */
export async function runConsoleQueries(database: Database, userId: Id<'usr'>): Promise<void> {
  const signIns = createSignInStore(database)
  const now = Date.now()
  const user = await createUserStore(database).find(userId)
  await createUserStore(database).findByEmail(database.read, user?.email ?? '')
  await database.transaction(async (trx) => {
    const claim = { kind: 'code', hash: randomHash(), userId, expiresAt: now + 1_000 } as const
    await signIns.insertClaim(trx, claim, now)
    await signIns.useClaim(trx, claim, now)
    await signIns.deleteOldClaims(trx, now)
  })
  await signIns.addOwners({ userId, email: user?.email ?? '' }, now)
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
  await signIns.hasToken(session.session_id, tokenHash, now)
  const elevation = { secretHash: randomHash(), elevatedUntil: now + 1, now }
  await signIns.elevateSession(session.session_id, elevation)
  await signIns.endSession(session.session_id, now)
}

function randomHash(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32))
}
