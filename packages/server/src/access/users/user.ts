import Type, { type Static } from 'typebox'
import { listOf, OptionalField, ref, StrictObject, Timestamp } from '../../platform/http/schema.ts'
import type { Id } from '../../platform/storage/id.ts'
import { WorkspaceResponse, workspaceExample } from '../workspaces/workspace.ts'

export type UserId = Id<'usr'>

/** A user, who owns workspaces. Times are epoch milliseconds. */
export interface User {
  readonly userId: UserId
  /** As given. Emails that differ only in letter case count as equal. */
  readonly email: string
  readonly firstname: string
  readonly lastname: string
  readonly createdAt: number
  readonly updatedAt: number
}

const example = {
  userId: 'usr_01kahn2s6kf5arr5d1x6z5cq3b',
  createdAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:00:00.000Z',
  firstname: 'Ada',
  lastname: '',
  email: 'ada@example.com',
  Workspace: [workspaceExample],
}

const fields = {
  userId: Type.String({ description: 'Identifier of the user.' }),
  createdAt: Timestamp('Creation time.'),
  updatedAt: Timestamp('Time of last update.'),
  firstname: Type.String({ description: 'First name; empty if unknown.' }),
  lastname: Type.String({ description: 'Last name; empty if unknown.' }),
  email: Type.String({ description: 'Email address.' }),
}

/** What a User says about itself, without its workspaces. */
export const UserFields = StrictObject(fields)

/** The authenticated user (interface: User, which spells `Workspace` with a capital). */
export const UserResponse = StrictObject(
  { ...fields, Workspace: listOf(WorkspaceResponse, 'The workspaces that the token can access.') },
  { $id: 'User', description: 'The authenticated user.', examples: [example] },
)
export type UserResponse = Static<typeof UserResponse>

const name = (description: string) => OptionalField(Type.String({ maxLength: 100, description }))

/** An e-mail address, as JSON Schema has it. */
export const EMAIL = { maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$' } as const

export const CreateUser = StrictObject(
  {
    email: Type.String({
      ...EMAIL,
      description: 'Email address.',
    }),
    firstname: name('First name.'),
    lastname: name('Last name.'),
  },
  { $id: 'CreateUser', examples: [{ email: 'ada@example.com', firstname: 'Ada' }] },
)
export type CreateUser = Static<typeof CreateUser>

export const NewUser = StrictObject(
  {
    user: ref(UserResponse),
    token: Type.String({ description: 'An access token of the new user. Returned only once.' }),
  },
  {
    $id: 'NewUser',
    description: 'A newly created user.',
    examples: [{ user: example, token: 'lp_…' }],
  },
)
export type NewUser = Static<typeof NewUser>
