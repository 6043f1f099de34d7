import type { WorkspaceAccess } from '../auth/caller.ts'
import { toTimestamp } from '../http/schema.ts'
import { serializeWorkspace } from '../workspaces/schemas.ts'
import type { Workspace } from '../workspaces/workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import type { UserResponse } from './schemas.ts'
import type { User } from './user.ts'
import type { UserStore } from './user-store.ts'

export interface GetUserDeps {
  readonly users: UserStore
  readonly workspaces: WorkspaceStore
}

/** The authenticated user, with the workspaces that the token can access (interface: Get user). */
export async function getUser(deps: GetUserDeps, access: WorkspaceAccess): Promise<UserResponse> {
  const [user, workspaces] = await Promise.all([
    deps.users.find(access.userId),
    deps.workspaces.list(access),
  ])
  // Unreachable: a foreign key ties tokens to users, and users are never deleted.
  if (user === undefined) throw new Error(`token without a user: ${access.userId}`)
  return serializeUser(user, workspaces)
}

/** Serializes a user and its workspaces. */
export function serializeUser(user: User, workspaces: readonly Workspace[]): UserResponse {
  return {
    userId: user.userId,
    createdAt: toTimestamp(user.createdAt),
    updatedAt: toTimestamp(user.updatedAt),
    firstname: user.firstname,
    lastname: user.lastname,
    email: user.email,
    Workspace: workspaces.map(serializeWorkspace),
  }
}
