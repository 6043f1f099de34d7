import type { Readable } from 'node:stream'
import { toTimestamp } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { Database } from '../../platform/storage/database.ts'
import { cacheDirectRead } from '../auth/cache-direct-read.ts'
import type { Caller, WorkspaceAccess } from '../auth/caller.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { type ListWorkspacesDeps, listWorkspaces } from '../workspaces/list-workspaces.ts'
import { serializeWorkspace, WorkspaceResponse } from '../workspaces/schemas.ts'
import type { Workspace } from '../workspaces/workspace.ts'
import { UserFields, UserResponse } from './schemas.ts'
import type { User } from './user.ts'
import type { UserStore } from './user-store.ts'

export interface GetUserDeps extends ListWorkspacesDeps {
  readonly users: UserStore
}

export interface GetUserOperationDeps extends GetUserDeps {
  readonly database: Database
}

export const getUserOperation = defineOperation({
  id: 'getUser',
  sdk: 'users.getCurrent',
  method: 'GET',
  path: '/v1/user',
  tag: 'Users',
  summary: 'Get the current user',
  description:
    'Works with any valid token. `Workspace` lists the workspaces that the token can access.',
  response: UserResponse,
  returns: 'The user.',
  errors: [],
  directRead: (deps: GetUserOperationDeps) =>
    cacheDirectRead(deps.database, (access) => findUserText(deps, access)),
  handle: (deps: GetUserOperationDeps, caller) => getUser(deps, caller),
})

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

/** The same as text; undefined if there are too many workspaces for one. */
async function findUserText(
  deps: GetUserDeps,
  access: WorkspaceAccess,
): Promise<string | undefined> {
  const json = await getUser(deps, access)
  if (typeof json === 'string') return json
  json.destroy()
  return undefined
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
