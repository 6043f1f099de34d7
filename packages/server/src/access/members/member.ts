import Type, { type Static } from 'typebox'
import {
  IdOf,
  KnownText,
  Nullable,
  OneOf,
  OptionalField,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { TokenId } from '../tokens/token.ts'
import { EMAIL, type UserId } from '../users/user.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import { EXTRA_SCOPES, GIVEN_ROLES, type Role } from './roles.ts'

export type MemberId = Id<'mbr'>

/** A person who has access to a workspace, or is invited to it. Times are epoch milliseconds. */
export interface Member {
  readonly memberId: MemberId
  readonly workspaceId: WorkspaceId
  /** Null until the invitation is accepted. */
  readonly userId: UserId | null
  readonly email: string
  /** Null until the invitation is accepted, and if they gave none. */
  readonly name: string | null
  readonly role: Role
  /** Beyond those of the role. */
  readonly extraScopes: readonly string[]
  /** The parent of the tokens of their sessions. Null until the invitation is accepted. */
  readonly tokenId: TokenId | null
  /** The first of their member tokens, from which all others descend. */
  readonly rootTokenId: TokenId | null
  readonly invitedUntil: number | null
  readonly lastSeenAt: number | null
  readonly createdAt: number
}

/** An access token that a member created in the console. */
export interface MemberTokenName {
  readonly tokenId: TokenId
  readonly name: string
}

const fields = {
  memberId: IdOf<MemberId>({ description: 'Identifier of the member.' }),
  workspaceId: IdOf<WorkspaceId>({ description: 'The workspace that they have access to.' }),
  userId: Nullable(
    IdOf<UserId>({
      description: 'The user, as the audit trail names the actor; null until they have accepted.',
    }),
  ),
  email: Type.String({ description: 'Email address.' }),
  name: Nullable(Type.String({ description: 'Name; null until they have accepted.' })),
  role: KnownText<Role>([...GIVEN_ROLES, 'owner'], 'What they may do.'),
  extraScopes: Type.Array(Type.String(), {
    description: 'Scopes beyond those of the role, after they have confirmed who they are.',
  }),
  status: KnownText<'active' | 'invited'>(
    ['active', 'invited'],
    'Whether they have accepted the invitation.',
  ),
  invitedUntil: Nullable(Timestamp('Until when the invitation can be accepted; null afterwards.')),
  lastSeenAt: Nullable(
    Timestamp('Last use of the console in this workspace; null: not within 30 days.'),
  ),
  createdAt: Timestamp('Time of the invitation.'),
}

const example = {
  memberId: 'mbr_01kahn2s6kf5arr5d1x6z5cq3b',
  workspaceId: 'wsp_01kahn2s6kf5arr5d1x6z5cq3b',
  userId: 'usr_01kahn2s6kf5arr5d1x6z5cq3b',
  email: 'grace@example.com',
  name: 'Grace',
  role: 'support',
  extraScopes: [],
  status: 'active',
  invitedUntil: null,
  lastSeenAt: '2026-11-21T10:00:00.000Z',
  createdAt: '2026-11-20T10:00:00.000Z',
}

/** The tokens of a member that are listed: a person who has more is a program. */
export const MAX_LISTED_TOKENS = 100

export const MemberResponse = StrictObject(fields, {
  $id: 'Member',
  description: 'A person who has access to a workspace, or is invited to it.',
  examples: [example],
})
export type MemberResponse = Static<typeof MemberResponse>

export const ListedMember = StrictObject(
  {
    ...fields,
    tokens: Type.Array(
      StrictObject({
        tokenId: IdOf<TokenId>({ description: 'Identifier of the token.' }),
        name: Type.String({ description: 'Name of the token.' }),
      }),
      {
        description: `The live access tokens that they created in the console, and that end with the membership: at most ${MAX_LISTED_TOKENS}.`,
      },
    ),
  },
  {
    $id: 'ListedMember',
    description: 'A member with the access tokens that they created.',
    examples: [
      { ...example, tokens: [{ tokenId: 'tok_01kahn2s6kf5arr5d1x6z5cq3b', name: 'backend' }] },
    ],
  },
)
export type ListedMember = Static<typeof ListedMember>

/** The only response that contains the invitation, which cannot be retrieved again. */
export const InvitedMember = StrictObject(
  {
    ...fields,
    invitationUrl: Type.String({
      description: 'The page on which they accept, once, within 7 days. Returned only once.',
    }),
  },
  {
    $id: 'InvitedMember',
    description: 'A member who has just been invited.',
    examples: [
      {
        ...example,
        userId: null,
        name: null,
        status: 'invited',
        invitedUntil: '2026-11-27T10:00:00.000Z',
        lastSeenAt: null,
        invitationUrl: 'https://linchpin.example.com/console/join#…',
      },
    ],
  },
)
export type InvitedMember = Static<typeof InvitedMember>

export const ChangedMember = StrictObject(
  {
    ...fields,
    revokedTokens: Type.Integer({
      description: 'How many of the access tokens that they created were revoked.',
    }),
  },
  {
    $id: 'ChangedMember',
    description: 'A member after a change.',
    examples: [{ ...example, revokedTokens: 0 }],
  },
)
export type ChangedMember = Static<typeof ChangedMember>

const extraScopes = OptionalField(
  Type.Array(OneOf([...EXTRA_SCOPES], 'A scope.'), {
    maxItems: EXTRA_SCOPES.length,
    uniqueItems: true,
    description: 'Scopes beyond those of the role. The caller needs them, too.',
  }),
)

export const InviteMember = StrictObject(
  {
    email: Type.String({
      ...EMAIL,
      description: 'Email address. Only a person who is known by it can accept.',
    }),
    role: OneOf([...GIVEN_ROLES], 'What they may do. The caller needs the scopes of the role.'),
    extraScopes,
    workspaceId: OptionalField(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
  },
  { $id: 'InviteMember', examples: [{ email: 'grace@example.com', role: 'support' }] },
)
export type InviteMember = Static<typeof InviteMember>

export const UpdateMember = StrictObject(
  {
    role: OptionalField(
      OneOf([...GIVEN_ROLES], 'What they may do. The caller needs the scopes of the role.'),
    ),
    extraScopes,
  },
  { $id: 'UpdateMember', examples: [{ role: 'developer' }] },
)
export type UpdateMember = Static<typeof UpdateMember>

/** Serializes a member. */
export function serializeMember(member: Member): MemberResponse {
  return {
    memberId: member.memberId,
    workspaceId: member.workspaceId,
    userId: member.userId,
    email: member.email,
    name: member.name,
    role: member.role,
    extraScopes: [...member.extraScopes],
    status: member.userId === null ? 'invited' : 'active',
    invitedUntil: toOptionalTimestamp(member.invitedUntil),
    lastSeenAt: toOptionalTimestamp(member.lastSeenAt),
    createdAt: toTimestamp(member.createdAt),
  }
}

function toOptionalTimestamp(time: number | null): string | null {
  return time === null ? null : toTimestamp(time)
}
