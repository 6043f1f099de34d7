import type { Readable } from 'node:stream'
import { ApiError, fieldError } from '../../platform/errors.ts'
import { toTimestamp } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import { newId } from '../../platform/storage/id.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { generateAccessToken } from '../auth/access-token.ts'
import { getCaller } from '../auth/authenticate-requests.ts'
import { type Caller, requireAdmin, SCOPES, type WorkspaceAccess } from '../auth/caller.ts'
import { createDirectRead } from '../auth/direct-reads.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { DEFAULT_TTL_SECONDS } from '../tokens/token.ts'
import { createAccessTokenRecord } from '../tokens/token-operations.ts'
import type { TokenStore } from '../tokens/token-store.ts'
import { serializeWorkspace, type Workspace, WorkspaceResponse } from '../workspaces/workspace.ts'
import {
  createWorkspaceRecord,
  insertWorkspace,
  type ListWorkspacesDeps,
  listWorkspaces,
} from '../workspaces/workspace-operations.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import { CreateUser, NewUser, type User, UserFields, UserResponse } from './user.ts'
import type { UserStore } from './user-store.ts'

export interface GetUserDeps extends ListWorkspacesDeps {
  readonly users: UserStore
}

export interface GetUserOperationDeps extends GetUserDeps {
  readonly database: Database
}

const getUserOperation = defineOperation({
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
    createDirectRead(deps.database, (access) => findUserText(deps, access)),
  handle: (deps: GetUserOperationDeps, caller) => getUser(deps, caller),
})

/** The authenticated user, in the console the member who acts, with the workspaces that the token can access (interface: Get user), as JSON. */
export async function getUser(
  deps: GetUserDeps,
  access: WorkspaceAccess & Pick<Caller, 'reauthenticate' | 'personId'>,
): Promise<string | Readable> {
  const user = await deps.users.find(access.personId ?? access.userId)
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
function serializeUser(user: User, workspaces: readonly Workspace[]): UserResponse {
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

export interface CreateUserDeps {
  readonly database: Database
  readonly vault: Vault
  readonly users: UserStore
  readonly workspaces: WorkspaceStore
  readonly tokens: TokenStore
  readonly now: () => number
}

const createUserOperation = defineOperation({
  id: 'createUser',
  sdk: 'users.create',
  method: 'POST',
  path: '/v1/user',
  tag: 'Users',
  summary: 'Create a user with a workspace and a token',
  description:
    'For administrators of this instance. The new user starts with one workspace and one token, which is returned only once.',
  scope: 'admin',
  body: CreateUser,
  status: 201,
  response: NewUser,
  returns: 'The user and a first token.',
  errors: ['already_exists'],
  audit: 'user.created',
  config: { returnsSecret: true },
  route: () => ({ onRequest: async (request) => requireAdmin(getCaller(request)) }),
  handle: (deps: CreateUserDeps, caller, { body }) => createUser(deps, caller, body),
})

/** The scopes of a new user: everything except administering the instance. */
const USER_SCOPES = SCOPES.filter((scope) => scope !== 'admin')

/**
 * Creates a user with one workspace and a token (interface: Create user).
 *
 * @throws ApiError `already_exists` if the email is taken
 */
export async function createUser(
  deps: CreateUserDeps,
  caller: Caller,
  input: CreateUser,
): Promise<NewUser> {
  const now = deps.now()
  const user = createUserRecord(input, now)
  const workspace = createWorkspaceRecord(user.userId, undefined, now)
  const token = generateAccessToken()
  const response = { user: serializeUser(user, [workspace]), token }
  await deps.database
    .transaction(async (trx) => {
      await deps.users.insert(trx, user)
      await insertWorkspace(trx, deps, workspace)
      await deps.tokens.insert(
        trx,
        createAccessTokenRecord(token, {
          userId: user.userId,
          workspaceId: null,
          // Its creator, with which it is not revoked unless the operator says so.
          parentTokenId: caller.tokenId,
          name: 'first token',
          scopes: USER_SCOPES,
          origin: 'user',
          createdAt: now,
          expiresAt: now + DEFAULT_TTL_SECONDS * 1_000,
        }),
      )
      await record(trx, caller, now, {
        action: 'user.created',
        workspaceId: workspace.workspaceId,
        subject: user.userId,
        response,
      })
    })
    .catch(createEmailTakenError)
  return response
}

/** A new user, to be stored. */
export function createUserRecord(input: CreateUser, now: number): User {
  return {
    userId: newId('usr', now),
    email: input.email,
    firstname: input.firstname ?? '',
    lastname: input.lastname ?? '',
    createdAt: now,
    updatedAt: now,
  }
}

function createEmailTakenError(error: unknown): never {
  if (error instanceof StorageError && error.kind === 'unique')
    throw new ApiError('already_exists', 'A user with this email already exists.', {
      errors: fieldError('email', 'taken', 'Already taken.'),
    })
  throw error
}

export const USER_OPERATIONS = [getUserOperation, createUserOperation]
