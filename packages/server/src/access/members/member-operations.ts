import Type from 'typebox'
import { ApiError, fieldError, notFound } from '../../platform/errors.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { isId, newId } from '../../platform/storage/id.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'
import { assertScopeGranted, type Caller } from '../auth/caller.ts'
import { defineOperation } from '../operations/define-operation.ts'
import type { UserStore } from '../users/user-store.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../workspaces/workspace-store.ts'
import { createInvitation } from './invitation.ts'
import {
  ChangedMember,
  InvitedMember,
  InviteMember,
  ListedMember,
  type Member,
  type MemberId,
  serializeMember,
  UpdateMember,
} from './member.ts'
import type { MemberStore } from './member-store.ts'
import { getRoleScopes, isNarrower, type MemberRights } from './roles.ts'

/** The members of a workspace, invited ones included. */
const MAX_MEMBERS = 200

export interface MemberDeps {
  readonly database: Database
  readonly members: MemberStore
  readonly users: UserStore
  readonly workspaces: WorkspaceStore
  /** The base URL of the console. */
  readonly consoleUrl: () => string
  readonly now: () => number
}

const MemberParams = Type.Object({
  memberId: IdOf<MemberId>({ description: 'Identifier of the member.' }),
})

const listMembersOperation = defineOperation({
  id: 'listMembers',
  sdk: 'members.list',
  method: 'GET',
  path: '/v1/member',
  tag: 'Members',
  summary: 'List the members of a workspace',
  description:
    'Returns the people who have access to the workspace in the console, and who are invited, oldest first: at most 200. The owner is a member since their first sign-in.',
  scope: 'audit:read',
  query: StrictObject({
    workspaceId: Type.Optional(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
  }),
  response: listOf(ListedMember),
  returns: 'The members, oldest first.',
  errors: [],
  handle: (deps: MemberDeps, caller, { query }) => listMembers(deps, caller, query.workspaceId),
})

/** The members of a workspace, oldest first, with the tokens that they created. @throws ApiError `workspace_not_accessible` */
export async function listMembers(
  { members, workspaces, now }: MemberDeps,
  caller: Caller,
  workspaceId?: WorkspaceId,
): Promise<ListedMember[]> {
  const resolved = await resolveWorkspace(workspaces, caller, workspaceId)
  const [all, tokens] = await Promise.all([
    members.list(caller, resolved),
    members.listTokens(caller, resolved, now()),
  ])
  return all.map((member) => ({
    ...serializeMember(member),
    tokens: member.rootTokenId === null ? [] : [...(tokens.get(member.rootTokenId) ?? [])],
  }))
}

const inviteMemberOperation = defineOperation({
  id: 'inviteMember',
  sdk: 'members.invite',
  method: 'POST',
  path: '/v1/member',
  tag: 'Members',
  summary: 'Invite a person to a workspace',
  description:
    'Returns the URL on which they accept, which nothing sends: pass it on. For a person who is invited already, the new invitation replaces the earlier one. No one can give a role with scopes that their token lacks.',
  scope: 'members',
  body: InviteMember,
  response: InvitedMember,
  returns: 'The member, with the invitation. It is returned only once.',
  errors: ['already_exists', 'member_limit'],
  audit: 'member.invited',
  config: { returnsSecret: true },
  handle: (deps: MemberDeps, caller, { body }) => inviteMember(deps, caller, body),
})

/**
 * Invites a person by their e-mail to a workspace, for 7 days.
 *
 * @throws ApiError `workspace_not_accessible`, `insufficient_scope`, `already_exists`, `member_limit`
 */
export async function inviteMember(
  deps: MemberDeps,
  caller: Caller,
  input: InviteMember,
): Promise<InvitedMember> {
  const { email, role } = input
  const extraScopes = input.extraScopes ?? []
  assertScopesGranted(caller, getRoleScopes(role, 'elevated', extraScopes))
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  await addOwner(deps, caller)
  const now = deps.now()
  const { secret, ...invitation } = createInvitation(now)
  return deps.database
    .transaction(
      async (trx) => {
        const earlier = await deps.members.findByEmail(trx, workspaceId, email)
        const memberId = await storeInvitation(trx, deps, earlier, {
          memberId: newId('mbr', now),
          workspaceId,
          email,
          role,
          extraScopes,
          invitation,
        })
        const member = await requireMember(trx, deps, caller, memberId)
        const response = {
          ...serializeMember(member),
          invitationUrl: `${deps.consoleUrl()}/console/join#${secret}`,
        }
        await record(trx, caller, now, {
          action: 'member.invited',
          workspaceId,
          subject: memberId,
          detail: { email, role, extraScopes },
          response,
        })
        return response
      },
      { serializable: true },
    )
    .catch((error) => {
      if (error instanceof StorageError && error.kind === 'unique') throw createTakenError()
      throw error
    })
}

/** The member whose e-mail is the owner's must exist, so that no invitation takes its place. */
async function addOwner({ members, users, now }: MemberDeps, { userId }: Caller): Promise<void> {
  const owner = await users.find(userId)
  if (owner !== undefined) await members.addOwners(owner, now())
}

async function storeInvitation(
  trx: Transaction,
  { members, now }: MemberDeps,
  earlier: Member | undefined,
  invited: Parameters<MemberStore['insert']>[1],
): Promise<MemberId> {
  if (earlier?.userId != null) throw createTakenError()
  if (earlier !== undefined) {
    await members.update(trx, earlier, invited, now())
    return earlier.memberId
  }
  if ((await members.count(trx, invited.workspaceId)) >= MAX_MEMBERS)
    throw new ApiError(
      'member_limit',
      `A workspace has at most ${MAX_MEMBERS} members, invited ones included. Remove one first.`,
    )
  await members.insert(trx, invited, now())
  return invited.memberId
}

function createTakenError(): ApiError {
  return new ApiError('already_exists', 'This person is a member of the workspace already.', {
    errors: fieldError('email', 'taken', 'Already a member.'),
  })
}

const updateMemberOperation = defineOperation({
  id: 'updateMember',
  sdk: 'members.update',
  method: 'POST',
  path: '/v1/member/:memberId',
  tag: 'Members',
  summary: 'Change what a member may do',
  description:
    'Takes effect with their next request. A member who loses a scope loses the access tokens that they created in the console, too.',
  scope: 'members',
  params: MemberParams,
  body: UpdateMember,
  response: ChangedMember,
  returns: 'The member.',
  errors: ['member_not_found', 'member_is_owner'],
  audit: 'member.updated',
  handle: (deps: MemberDeps, caller, { params, body }) =>
    updateMember(deps, caller, params.memberId, body),
})

/**
 * Changes the role and the further scopes of a member. If they lose a scope, their sessions get other tokens, and the tokens that they
 * created end.
 *
 * @throws ApiError `member_not_found`, `member_is_owner`, `insufficient_scope`
 */
export async function updateMember(
  deps: MemberDeps,
  caller: Caller,
  memberId: MemberId,
  input: UpdateMember,
): Promise<ChangedMember> {
  return deps.database.transaction(
    async (trx) => {
      const before = await requireGivenRole(trx, deps, caller, memberId)
      const change = {
        role: input.role ?? before.role,
        extraScopes: input.extraScopes ?? before.extraScopes,
      }
      const revokedTokens = await changeMember(trx, deps, caller, before, change)
      const response = {
        ...serializeMember(await requireMember(trx, deps, caller, memberId)),
        revokedTokens,
      }
      await record(trx, caller, deps.now(), {
        action: 'member.updated',
        workspaceId: before.workspaceId,
        subject: memberId,
        detail: { ...change, revokedTokens },
        response,
      })
      return response
    },
    { serializable: true },
  )
}

/** Returns how many access tokens were revoked. */
async function changeMember(
  trx: Transaction,
  { members, now }: MemberDeps,
  caller: Caller,
  before: Member,
  change: MemberRights,
): Promise<number> {
  const had = getRoleScopes(before.role, 'elevated', before.extraScopes)
  const added = getRoleScopes(change.role, 'elevated', change.extraScopes).filter(
    (scope) => !had.includes(scope),
  )
  assertScopesGranted(caller, added)
  await members.update(trx, before, change, now())
  const isRevoked = isNarrower(before, change)
  if (added.length === 0 && !isRevoked) return 0
  return members.replaceToken(trx, before, {
    ownerId: caller.userId,
    isRevoked,
    now: now(),
  })
}

const deleteMemberOperation = defineOperation({
  id: 'deleteMember',
  sdk: 'members.delete',
  method: 'DELETE',
  path: '/v1/member/:memberId',
  tag: 'Members',
  summary: 'Remove a member or an invitation',
  description:
    'Signs the member out with their next request, on every node, and revokes the access tokens that they created in the console.',
  scope: 'members',
  params: MemberParams,
  response: ChangedMember,
  returns: 'The member that was removed.',
  errors: ['member_not_found', 'member_is_owner'],
  audit: 'member.removed',
  handle: (deps: MemberDeps, caller, { params }) => deleteMember(deps, caller, params.memberId),
})

/**
 * Ends a membership or an invitation, with the sessions in the workspace and the tokens that the member created.
 *
 * @throws ApiError `member_not_found`, `member_is_owner`, `insufficient_scope`
 */
export async function deleteMember(
  deps: MemberDeps,
  caller: Caller,
  memberId: MemberId,
): Promise<ChangedMember> {
  const now = deps.now()
  return deps.database.transaction(
    async (trx) => {
      const member = await requireGivenRole(trx, deps, caller, memberId)
      const revokedTokens = await deps.members.end(trx, member, caller.userId, now)
      await record(trx, caller, now, {
        action: 'member.removed',
        workspaceId: member.workspaceId,
        subject: memberId,
        detail: { email: member.email, role: member.role, revokedTokens },
      })
      return { ...serializeMember(member), revokedTokens }
    },
    { serializable: true },
  )
}

/**
 * A member that the caller can change: not the owner, and none whose role has scopes that the caller's token lacks. An admin can remove
 * whom the owner gave further scopes.
 */
async function requireGivenRole(
  trx: Transaction,
  deps: Pick<MemberDeps, 'members'>,
  caller: Caller,
  memberId: MemberId,
): Promise<Member> {
  const member = await requireMember(trx, deps, caller, memberId)
  if (member.role === 'owner')
    throw new ApiError(
      'member_is_owner',
      'The owner of the workspace cannot be changed or removed.',
    )
  assertScopesGranted(caller, getRoleScopes(member.role, 'elevated'))
  return member
}

/** @throws ApiError `member_not_found` */
async function requireMember(
  trx: Transaction,
  { members }: Pick<MemberDeps, 'members'>,
  caller: Caller,
  memberId: MemberId,
): Promise<Member> {
  const member = isId('mbr', memberId) ? await members.find(trx, caller, memberId) : undefined
  if (member === undefined) throw notFound('member')
  return member
}

/** A leaked token with few scopes must neither give more than it has nor remove those who have more. */
function assertScopesGranted({ scopes }: Caller, needed: readonly string[]): void {
  for (const scope of needed) assertScopeGranted(scopes, scope)
}

export const MEMBER_OPERATIONS = [
  listMembersOperation,
  inviteMemberOperation,
  updateMemberOperation,
  deleteMemberOperation,
]
