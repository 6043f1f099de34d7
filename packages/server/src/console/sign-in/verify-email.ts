import type { FastifyRequest } from 'fastify'
import { record } from '../../platform/record/record-store.ts'
import type { Id } from '../../platform/storage/id.ts'
import { type SessionDeps, toActor } from './session.ts'

/**
 * Notes that a person has shown the e-mail of a user to be theirs: an identity provider says so, or the operator gave them a code. The
 * first time, what was added before ends: passkeys, sessions, and the tokens of memberships. Anyone with the address of an invitation can
 * accept it, so this user may have been someone else's until now. Users who own a workspace were created by an administrator.
 */
export async function verifyEmail(
  { database, signIns, members, now }: SessionDeps,
  request: FastifyRequest,
  userId: Id<'usr'>,
): Promise<void> {
  const memberships = await signIns.listMemberships(userId)
  await database.transaction(
    async (trx) => {
      if (!(await signIns.markVerified(trx, userId, now()))) return
      await signIns.endSignIns(trx, userId, now())
      for (const { memberId, workspaceId, ownerId } of memberships) {
        const access = { userId: ownerId, boundWorkspaceId: null }
        const member = await members.find(trx, access, memberId)
        if (member === undefined) continue
        const replacement = { ownerId, isRevoked: true, now: now() }
        const revokedTokens = await members.replaceToken(trx, member, replacement)
        await record(trx, toActor(request, userId), now(), {
          action: 'member.updated',
          workspaceId,
          subject: memberId,
          detail: { reason: 'email verified', revokedTokens },
        })
      }
    },
    { serializable: true },
  )
}
