import type { Readable } from 'node:stream'
import { toTimestamp } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { Caller, WorkspaceAccess } from '../auth/caller.ts'
import { type ListWorkspacesDeps, listWorkspaces } from '../workspaces/list-workspaces.ts'
import { serializeWorkspace, WorkspaceResponse } from '../workspaces/schemas.ts'
import type { Workspace } from '../workspaces/workspace.ts'
import { UserFields, type UserResponse } from './schemas.ts'
import type { User } from './user.ts'
import type { UserStore } from './user-store.ts'

export interface GetUserDeps extends ListWorkspacesDeps {
  readonly users: UserStore
}

/** The authenticated user, with the workspaces that the token can access (interface: Get user), as JSON. */
export async function getUser(
  deps: GetUserDeps,
  access: WorkspaceAccess & Pick<Caller, 'reauthenticate'>,
): Promise<string | Readable> {
  const user = await deps.users.find(access.userId)
  // Unreachable: a foreign key ties tokens to users, and users are never deleted.
  if (user === undefined) throw new Error(`token without a user: ${access.userId}`)
  const own = stringifyUser(serializeUserFields(user))
  return listWorkspaces(deps, access, stringifyWorkspace, [
    `${own.slice(0, -1)},"Workspace":[`,
    ']}',
  ])
}

const stringifyUser = createSerializer(UserFields)
const serialize = createSerializer(WorkspaceResponse)
const stringifyWorkspace = (workspace: Workspace) => serialize(serializeWorkspace(workspace))

/** Serializes a user and its workspaces. */
export function serializeUser(user: User, workspaces: readonly Workspace[]): UserResponse {
  return { ...serializeUserFields(user), Workspace: workspaces.map(serializeWorkspace) }
}

function serializeUserFields(user: User): Omit<UserResponse, 'Workspace'> {
  return {
    userId: user.userId,
    createdAt: toTimestamp(user.createdAt),
    updatedAt: toTimestamp(user.updatedAt),
    firstname: user.firstname,
    lastname: user.lastname,
    email: user.email,
  }
}
