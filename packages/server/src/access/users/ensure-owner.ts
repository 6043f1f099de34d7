import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { generateAccessToken, hashSecret } from '../auth/access-token.ts'
import { SCOPES } from '../auth/caller.ts'
import type { NewAccessToken } from '../tokens/token.ts'
import { createAccessTokenRecord } from '../tokens/token-operations.ts'
import type { TokenStore } from '../tokens/token-store.ts'
import { createWorkspaceRecord, insertWorkspace } from '../workspaces/workspace-operations.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import type { UserId } from './user.ts'
import { createUserRecord } from './user-operations.ts'
import type { UserStore } from './user-store.ts'

export interface EnsureOwnerDeps {
  readonly database: Database
  readonly vault: Vault
  readonly users: UserStore
  readonly workspaces: WorkspaceStore
  readonly tokens: TokenStore
  /** LINCHPIN_OWNER_EMAIL. */
  readonly email: string
  /** LINCHPIN_TOKEN. */
  readonly token: string | undefined
  /** Saves a generated token before it becomes valid: if it were lost, the owner would be locked out. */
  readonly saveToken: (token: string) => Promise<void>
  /** LINCHPIN_OWNER_TOKEN_SECONDS: lifetime of the token, in seconds; undefined: no expiry. */
  readonly tokenSeconds: number | undefined
  readonly now: () => number
}

/**
 * Creates the first user with a workspace and a token, or does nothing if one exists. If `LINCHPIN_TOKEN` is set,
 * that token becomes valid, and an earlier token from the environment is revoked.
 *
 * @returns whether this was the first start
 */
export async function ensureOwner(deps: EnsureOwnerDeps): Promise<boolean> {
  const isFirstStart = (await deps.users.findOwner(deps.database.read)) === undefined
  if (!isFirstStart) {
    if (deps.token !== undefined) await activateEnvironmentToken(deps, deps.token)
    return false
  }
  const token = deps.token ?? generateAccessToken()
  if (deps.token === undefined) await deps.saveToken(token)
  return deps.database.transaction((trx) => createOwner(trx, deps, token), { serializable: true })
}

/** Creates another owner token, for `npm run token -- --owner`. Returns undefined if there is no owner yet. */
export async function createOwnerToken(
  deps: Pick<EnsureOwnerDeps, 'database' | 'users' | 'tokens' | 'tokenSeconds' | 'now'>,
): Promise<string | undefined> {
  const owner = await deps.users.findOwner(deps.database.read)
  if (owner === undefined) return undefined
  const token = generateAccessToken()
  const accessToken = generateOwnerToken(deps, token, owner.userId, 'owner')
  await deps.database.transaction(async (trx) => {
    await deps.tokens.insert(trx, accessToken)
    await recordToken(trx, deps, accessToken, 'cli')
  })
  return token
}

async function createOwner(
  trx: Transaction,
  deps: EnsureOwnerDeps,
  token: string,
): Promise<boolean> {
  // Re-check: another node may have created the owner.
  if ((await deps.users.findOwner(trx)) !== undefined) return false
  const now = deps.now()
  const user = createUserRecord({ email: deps.email }, now)
  await deps.users.insert(trx, user)
  await insertWorkspace(trx, deps, createWorkspaceRecord(user.userId, undefined, now))
  const origin = deps.token === undefined ? 'owner' : 'environment'
  await deps.tokens.insert(trx, generateOwnerToken(deps, token, user.userId, origin))
  return true
}

async function activateEnvironmentToken(deps: EnsureOwnerDeps, token: string): Promise<void> {
  const hash = hashSecret(token)
  await deps.database.transaction(
    async (trx) => {
      const owner = await deps.users.findOwner(trx)
      if (owner === undefined || (await deps.tokens.exists(trx, hash))) return
      await deps.tokens.revokeEnvironmentTokens(trx, owner.userId, deps.now())
      const accessToken = generateOwnerToken(deps, token, owner.userId, 'environment')
      await deps.tokens.insert(trx, accessToken)
      await recordToken(trx, deps, accessToken, 'background')
    },
    { serializable: true },
  )
}

/** Records a token that no request created: the command line did, or the start of the service. */
async function recordToken(
  trx: Transaction,
  { now }: Pick<EnsureOwnerDeps, 'now'>,
  { tokenId, userId }: Pick<NewAccessToken, 'tokenId' | 'userId'>,
  via: 'cli' | 'background',
): Promise<void> {
  const actor = { userId, tokenId: null, requestId: '', kind: 'system', via } as const
  await record(trx, actor, now(), { action: 'token.created', workspaceId: null, subject: tokenId })
}

/** An owner token has every scope and every workspace. */
function generateOwnerToken(
  deps: Pick<EnsureOwnerDeps, 'tokenSeconds' | 'now'>,
  token: string,
  userId: UserId,
  origin: 'owner' | 'environment',
) {
  const now = deps.now()
  return createAccessTokenRecord(token, {
    userId,
    workspaceId: null,
    parentTokenId: null,
    name: 'owner',
    scopes: SCOPES,
    origin,
    createdAt: now,
    expiresAt: deps.tokenSeconds === undefined ? null : now + deps.tokenSeconds * 1_000,
  })
}
