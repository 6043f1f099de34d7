import { ApiError, fieldError } from '../../platform/errors.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import { newId } from '../../platform/storage/id.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { generateAccessToken } from '../auth/access-token.ts'
import { getCaller } from '../auth/authenticate-requests.ts'
import { type Caller, requireAdmin } from '../auth/caller.ts'
import { SCOPES } from '../auth/scopes.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { createAccessTokenRecord } from '../tokens/create-token.ts'
import { DEFAULT_TTL_SECONDS } from '../tokens/schemas.ts'
import type { TokenStore } from '../tokens/token-store.ts'
import { createWorkspaceRecord, insertWorkspace } from '../workspaces/create-workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import { serializeUser } from './get-user.ts'
import { CreateUser, NewUser } from './schemas.ts'
import type { User } from './user.ts'
import type { UserStore } from './user-store.ts'

export interface CreateUserDeps {
  readonly database: Database
  readonly vault: Vault
  readonly users: UserStore
  readonly workspaces: WorkspaceStore
  readonly tokens: TokenStore
  readonly now: () => number
}

export const createUserOperation = defineOperation({
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
