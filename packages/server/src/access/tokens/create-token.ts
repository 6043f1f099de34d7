import { ApiError, insufficientScope, unknownReference } from '../../platform/errors.ts'
import { toTimestamp } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { isId, newId } from '../../platform/storage/id.ts'
import { generateAccessToken } from '../auth/access-token.ts'
import type { Caller } from '../auth/caller.ts'
import { hashSecret } from '../auth/hash-secret.ts'
import { assertScopeGranted, getDefaultScopes } from '../auth/scopes.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { resolveWorkspace } from '../workspaces/resolve-workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import { CreateToken, DEFAULT_TTL_SECONDS, NewToken } from './schemas.ts'
import type { NewAccessToken } from './token.ts'
import { listLiveAccountIds } from './token-accounts-store.ts'
import type { TokenStore } from './token-store.ts'

export interface CreateTokenDeps {
  readonly database: Database
  readonly tokens: TokenStore
  readonly workspaces: WorkspaceStore
  readonly now: () => number
}

export const createTokenOperation = defineOperation({
  id: 'createToken',
  sdk: 'tokens.create',
  method: 'POST',
  path: '/v1/user/token',
  tag: 'Tokens',
  summary: 'Create a token with at most the scopes of this one',
  description:
    'The new token ends with this one, by expiry or revocation. It is returned only once.',
  scope: 'tokens',
  body: CreateToken,
  status: 201,
  response: NewToken,
  returns: 'The token. It is returned only once.',
  errors: ['unknown_reference'],
  audit: 'token.created',
  config: { returnsSecret: true },
  handle: (deps: CreateTokenDeps, caller, { body }) => createToken(deps, caller, body),
})

/**
 * Creates a token with at most the permissions of the caller's (interface: Create token): its scopes are a subset, it
 * is bound to the same workspace if the caller's is bound, and it ends with the caller's token, by expiry or
 * revocation.
 *
 * @throws ApiError `insufficient_scope`, `workspace_not_accessible`, `unknown_reference`, `token_invalid`
 */
export async function createToken(
  deps: CreateTokenDeps,
  caller: Caller,
  input: CreateToken,
): Promise<NewToken> {
  const scopes = resolveScopes(caller, input.scopes ?? undefined)
  const accountIds = input.integrationAccountIds ?? null
  // A token that is bound to accounts is bound to their workspace, too.
  const workspaceId =
    input.workspaceId == null && accountIds === null
      ? caller.boundWorkspaceId
      : await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  const token = generateAccessToken()
  const now = deps.now()
  const accessToken = createAccessTokenRecord(token, {
    userId: caller.userId,
    workspaceId,
    accountIds,
    parentTokenId: caller.tokenId,
    name: input.name,
    scopes,
    origin: 'minted',
    readsPerMinute: getLower(input.readsPerMinute, caller.rates?.read.own.limit),
    writesPerMinute: getLower(input.writesPerMinute, caller.rates?.write.own.limit),
    createdAt: now,
    expiresAt: getEarliest(now + (input.seconds ?? DEFAULT_TTL_SECONDS) * 1_000, caller.expiresAt),
  })
  const response = serializeNewToken(accessToken, token)
  await deps.database.transaction(
    async (trx) => {
      if (!(await deps.tokens.isLive(trx, caller.tokenId)))
        throw new ApiError('token_invalid', 'This access token is not valid.')
      await assertAccountsExist(trx, caller, accessToken)
      await deps.tokens.insert(trx, accessToken)
      await record(trx, caller, now, {
        action: 'token.created',
        workspaceId,
        subject: accessToken.tokenId,
        detail: accountIds === null ? { scopes } : { scopes, integrationAccountIds: accountIds },
        response,
      })
    },
    { serializable: true },
  )
  return response
}

/** A new token, to be stored; only the hash of its value is. */
export function createAccessTokenRecord(
  token: string,
  fields: Omit<NewAccessToken, 'tokenId' | 'tokenHash' | 'revokedAt' | 'lastUsedAt'>,
): NewAccessToken {
  return {
    ...fields,
    tokenId: newId('tok', fields.createdAt),
    tokenHash: hashSecret(token),
    revokedAt: null,
    lastUsedAt: null,
  }
}

function serializeNewToken(record: NewAccessToken, token: string): NewToken {
  return {
    tokenId: record.tokenId,
    token,
    name: record.name,
    scopes: [...record.scopes],
    workspaceId: record.workspaceId,
    integrationAccountIds: record.accountIds == null ? null : [...record.accountIds],
    expiresAt: record.expiresAt === null ? null : toTimestamp(record.expiresAt),
  }
}

/** @throws ApiError `unknown_reference`: an account is deleted, unknown or of another workspace */
async function assertAccountsExist(
  trx: Transaction,
  caller: Caller,
  { workspaceId, accountIds }: NewAccessToken,
): Promise<void> {
  if (workspaceId === null || accountIds == null) return
  const wellFormed = accountIds.filter((accountId) => isId('acc', accountId))
  const live = await listLiveAccountIds(trx, caller, workspaceId, wellFormed)
  const unknown = accountIds.findIndex((accountId) => !live.has(accountId))
  if (unknown >= 0) throw unknownReference(`integrationAccountIds.${unknown}`)
}

function resolveScopes(caller: Caller, requested: readonly string[] | undefined): string[] {
  if (requested === undefined) {
    const defaults = getDefaultScopes(caller.scopes)
    if (defaults.length === 0) throw insufficientScope('read or write')
    return defaults
  }
  for (const scope of requested) assertScopeGranted(caller.scopes, scope)
  return [...requested]
}

function getEarliest(time: number, limit: number | null): number {
  return limit === null ? time : Math.min(time, limit)
}

/** A token never has higher limits than the token that created it. Null: those of the service. */
function getLower(own: number | null | undefined, creator = Infinity): number | null {
  const limit = Math.min(own ?? Infinity, creator)
  return limit === Infinity ? null : limit
}
