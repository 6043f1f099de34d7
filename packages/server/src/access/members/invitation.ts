import { randomBytes } from 'node:crypto'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { hashSecret } from '../auth/access-token.ts'
import type { UserId } from '../users/user.ts'
import { createUserRecord } from '../users/user-operations.ts'
import type { UserStore } from '../users/user-store.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { Invitation, MemberStore } from './member-store.ts'

/** How long an invitation can be accepted. */
const LIFETIME_MS = 7 * 24 * 60 * 60 * 1_000

export interface InvitationDeps {
  readonly database: Database
  readonly members: MemberStore
  readonly users: UserStore
  readonly now: () => number
}

/** A new invitation: a secret of 192 random bits, of which only the hash is stored. */
export function createInvitation(now: number): {
  readonly secret: string
  readonly hash: Uint8Array
  readonly until: number
} {
  const secret = randomBytes(24).toString('base64url')
  return { secret, hash: hashInvitation(secret), until: now + LIFETIME_MS }
}

function hashInvitation(secret: string): Uint8Array {
  return hashSecret(`console invitation ${secret}`)
}

/** The secret of an invitation, as a person may paste it: alone, or with its address. */
export function readInvitation(text: string): string {
  return (text.split('#').at(-1) ?? '').trim()
}

/** The invitation with a secret; undefined if it cannot be accepted (any more). */
export async function findInvitation(
  { database, members, now }: InvitationDeps,
  secret: string,
): Promise<Invitation | undefined> {
  return members.findInvited(database.read, hashInvitation(secret), now())
}

/** What the audit trail records of the request that makes someone a member. */
export interface InvitationRequest {
  readonly requestId: string
  readonly ip: string | null
}

/** Who accepts an invitation: a person who has just proven who they are, or one who is new here. */
export type Invitee = { readonly userId: UserId } | { readonly name: string }

/** What came of it. `known`: a user has the e-mail of the invitation, and has to sign in first; `other`: it is for another e-mail. */
export type Acceptance =
  | {
      readonly outcome: 'accepted'
      readonly userId: UserId
      readonly email: string
      readonly workspaceId: WorkspaceId
    }
  | { readonly outcome: 'gone' | 'known' | 'other' }

/**
 * Accepts an invitation, once. It names an e-mail: the URL alone makes no one a user who exists already, or an admin of one workspace
 * could become a user who has access to another.
 */
export async function acceptInvitation(
  deps: InvitationDeps,
  secret: string,
  invitee: Invitee,
  request: InvitationRequest,
): Promise<Acceptance> {
  const now = deps.now()
  const hash = hashInvitation(secret)
  return deps.database.transaction(
    async (trx) => {
      const invitation = await deps.members.findInvited(trx, hash, now)
      if (invitation === undefined) return { outcome: 'gone' }
      const known = await deps.users.findByEmail(trx, invitation.email)
      if ('userId' in invitee && known?.userId !== invitee.userId) return { outcome: 'other' }
      if (!('userId' in invitee) && known !== undefined) return { outcome: 'known' }
      const userId =
        'userId' in invitee
          ? invitee.userId
          : await insertPerson(trx, deps, { email: invitation.email, name: invitee.name })
      await deps.members.accept(trx, invitation, userId, now)
      const actor = { userId, tokenId: null, via: 'console', ...request } as const
      await record(trx, actor, now, {
        action: 'member.joined',
        workspaceId: invitation.workspaceId,
        subject: invitation.memberId,
        detail: { role: invitation.role, extraScopes: invitation.extraScopes },
      })
      const { email, workspaceId } = invitation
      return { outcome: 'accepted', userId, email, workspaceId }
    },
    { serializable: true },
  )
}

/** Stores a new person, who owns no workspace. */
export async function insertPerson(
  trx: Transaction,
  { users, now }: Pick<InvitationDeps, 'users' | 'now'>,
  { email, name }: { readonly email: string; readonly name: string },
): Promise<UserId> {
  const user = createUserRecord({ email, firstname: name }, now())
  await users.insert(trx, user)
  return user.userId
}
