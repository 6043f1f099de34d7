import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { newId } from '../../platform/storage/id.ts'
import type { User, UserId } from '../users/user.ts'
import type { UserStore } from '../users/user-store.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import { type InvitationRequest, insertPerson } from './invitation.ts'
import type { Member } from './member.ts'
import type { MemberStore } from './member-store.ts'
import { type GivenRole, isNarrower } from './roles.ts'

export interface GrantRoleDeps {
  readonly database: Database
  readonly members: MemberStore
  readonly users: UserStore
  readonly workspaces: WorkspaceStore
  readonly now: () => number
}

/** A person whose e-mail an identity provider has verified. */
export interface VerifiedPerson {
  readonly email: string
  /** Empty if it is unknown. */
  readonly name: string
}

/** The workspaces in which a role is given at a sign-in. */
const MAX_WORKSPACES = 200

/**
 * Gives a person a role in every workspace of the owner of the instance, as an identity provider says at each sign-in. The owner keeps
 * their role. Scopes beyond the role stay.
 */
export async function grantRole(
  deps: GrantRoleDeps,
  person: VerifiedPerson,
  role: GivenRole,
  request: InvitationRequest,
): Promise<UserId> {
  return deps.database.transaction(
    async (trx) => {
      const owner = await deps.users.findOwner(trx)
      if (owner === undefined) throw new Error('an instance without an owner')
      if (owner.email.toLowerCase() === person.email.toLowerCase()) return owner.userId
      const known = await deps.users.findByEmail(trx, person.email)
      const userId = known?.userId ?? (await insertPerson(trx, deps, person))
      const access = { userId: owner.userId, boundWorkspaceId: null }
      const page = { limit: MAX_WORKSPACES, after: undefined }
      for (const { workspaceId } of await deps.workspaces.list(access, page))
        await grantIn(trx, deps, { owner, workspaceId, userId, email: person.email, role }, request)
      return userId
    },
    { serializable: true },
  )
}

interface Grant {
  readonly owner: User
  readonly workspaceId: WorkspaceId
  readonly userId: UserId
  readonly email: string
  readonly role: GivenRole
}

async function grantIn(
  trx: Transaction,
  deps: GrantRoleDeps,
  { owner, workspaceId, userId, email, role }: Grant,
  request: InvitationRequest,
): Promise<void> {
  const { members } = deps
  const now = deps.now()
  const member = await members.findByEmail(trx, workspaceId, email)
  if (member?.userId != null && member.role === role) return
  const actor = { userId, tokenId: null, via: 'console', ...request } as const
  const memberId = member?.memberId ?? newId('mbr', now)
  if (member?.userId == null) {
    if (member === undefined)
      await members.insert(trx, { memberId, workspaceId, email, role, extraScopes: [] }, now)
    else await members.update(trx, member, { role }, now)
    await members.accept(trx, { memberId, workspaceId, ownerId: owner.userId }, userId, now)
  } else await changeRole(trx, deps, member, role, owner.userId)
  await record(trx, actor, now, {
    action: member?.userId == null ? 'member.joined' : 'member.updated',
    workspaceId,
    subject: memberId,
    detail: { role, extraScopes: member?.extraScopes ?? [] },
  })
}

async function changeRole(
  trx: Transaction,
  { members, now }: GrantRoleDeps,
  member: Member,
  role: GivenRole,
  ownerId: UserId,
): Promise<void> {
  await members.update(trx, member, { role }, now())
  const isRevoked = isNarrower(member, { role, extraScopes: member.extraScopes })
  await members.replaceToken(trx, member, { ownerId, isRevoked, now: now() })
}
