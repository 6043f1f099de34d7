import type { Readable } from 'node:stream'
import type { WorkspaceAccess } from '../auth/caller.ts'
import { joinPages } from '../http/join-pages.ts'
import { toTimestamp } from '../http/schema.ts'
import { createSerializer } from '../http/serializer.ts'
import { serializeWorkspace, WorkspaceResponse } from '../workspaces/schemas.ts'
import type { Workspace } from '../workspaces/workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import { UserFields, type UserResponse } from './schemas.ts'
import type { User } from './user.ts'
import type { UserStore } from './user-store.ts'

export interface GetUserDeps {
  readonly users: UserStore
  readonly workspaces: WorkspaceStore
}

/** The authenticated user, with the workspaces that the token can access (interface: Get user), as JSON. */
export async function getUser(
  deps: GetUserDeps,
  access: WorkspaceAccess,
): Promise<string | Readable> {
  const user = await deps.users.find(access.userId)
  // Unreachable: a foreign key ties tokens to users, and users are never deleted.
  if (user === undefined) throw new Error(`token without a user: ${access.userId}`)
  const own = stringifyUser(serializeUserFields(user))
  return joinPages(readPages(deps.workspaces, access), `${own.slice(0, -1)},"Workspace":[`, ']}')
}

async function* readPages(
  workspaces: WorkspaceStore,
  access: WorkspaceAccess,
): AsyncGenerator<string[]> {
  for await (const page of workspaces.listPages(access))
    yield page.map((workspace) => stringifyWorkspace(serializeWorkspace(workspace)))
}

const stringifyUser = createSerializer(UserFields)
const stringifyWorkspace = createSerializer(WorkspaceResponse)

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
