import type { Caller } from '../auth/caller.ts'
import { toTimestamp } from '../http/schema.ts'
import type { UserRow, WorkspaceRow } from '../storage/tables.ts'
import { serializeWorkspace } from '../workspaces/serialize-workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import type { User } from './user.ts'
import type { UserStore } from './user-store.ts'

export interface GetUserDeps {
  readonly users: UserStore
  readonly workspaces: WorkspaceStore
}

/** The authenticated user, with the workspaces that the token can access (interface: Get user). */
export async function getUser(deps: GetUserDeps, caller: Caller): Promise<User> {
  const [user, workspaces] = await Promise.all([
    deps.users.find(caller.userId),
    deps.workspaces.list(caller),
  ])
  // Unreachable: a foreign key ties tokens to users, and users are never deleted.
  if (user === undefined) throw new Error(`token without a user: ${caller.tokenId}`)
  return serializeUser(user, workspaces)
}

/** Serializes a user and its workspaces. */
export function serializeUser(row: UserRow, workspaces: readonly WorkspaceRow[]): User {
  return {
    userId: row.user_id,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    firstname: row.firstname,
    lastname: row.lastname,
    email: row.email,
    Workspace: workspaces.map(serializeWorkspace),
  }
}
