import type { Readable } from 'node:stream'
import Type from 'typebox'
import { ApiError, insufficientScope, notFound, unknownReference } from '../../platform/errors.ts'
import {
  ALL_ROWS,
  listInParts,
  type Pagination,
  type TakeTurn,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, toTimestamp } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { isId, newId } from '../../platform/storage/id.ts'
import { generateAccessToken, hashSecret } from '../auth/access-token.ts'
import { assertScopeGranted, type Caller, getDefaultScopes } from '../auth/caller.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { resolveWorkspace, type WorkspaceStore } from '../workspaces/workspace-store.ts'
import {
  type AccessToken,
  CreateToken,
  DEFAULT_TTL_SECONDS,
  type NewAccessToken,
  NewToken,
  Token,
  type TokenId,
} from './token.ts'
import { listLiveAccountIds, type TokenStore } from './token-store.ts'

export interface CreateTokenDeps {
  readonly database: Database
  readonly tokens: TokenStore
  readonly workspaces: WorkspaceStore
  readonly now: () => number
}

const createTokenOperation = defineOperation({
  id: 'createToken',
  sdk: 'tokens.create',
  method: 'POST',
  path: '/v1/user/token',
  tag: 'Tokens',
  summary: 'Create a token with at most the scopes of this one',
  description:
    'The new token ends with this one, by expiry or revocation; one that a person creates in the console, with their membership. It is returned only once.',
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
    parentTokenId: await findParentToken(deps, caller),
    name: input.name,
    scopes,
    origin: 'minted',
    readsPerMinute: getLower(input.readsPerMinute, caller.rates?.read.own.limit),
    writesPerMinute: getLower(input.writesPerMinute, caller.rates?.write.own.limit),
    createdAt: now,
    expiresAt: getEarliest(
      now + (input.seconds ?? DEFAULT_TTL_SECONDS) * 1_000,
      caller.via === 'console' ? null : caller.expiresAt,
    ),
  })
  const response = serializeNewToken(accessToken, token)
  await deps.database.transaction(
    async (trx) => {
      await assertCreatorIsLive(deps, trx, caller)
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

/** @throws ApiError `token_invalid`: it was revoked meanwhile */
export async function assertCreatorIsLive(
  { tokens }: Pick<CreateTokenDeps, 'tokens'>,
  trx: Transaction,
  { tokenId }: Caller,
): Promise<void> {
  if (!(await tokens.isLive(trx, tokenId)))
    throw new ApiError('token_invalid', 'This access token is not valid.')
}

/**
 * The token with which those that the caller creates end: in the console that of the membership.
 *
 * @throws ApiError `token_invalid`: the membership has ended meanwhile
 */
export async function findParentToken(
  { database, tokens }: Pick<CreateTokenDeps, 'database' | 'tokens'>,
  { tokenId, via }: Caller,
): Promise<TokenId> {
  if (via !== 'console') return tokenId
  const memberToken = await tokens.findMemberToken(database.read, tokenId)
  if (memberToken === undefined)
    throw new ApiError('token_invalid', 'This access token is not valid.')
  return memberToken
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
export async function assertAccountsExist(
  trx: Transaction,
  caller: Caller,
  { workspaceId, accountIds }: Pick<NewAccessToken, 'workspaceId' | 'accountIds'>,
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

/** The earlier of two times. Null: no limit. */
export function getEarliest(time: number, limit: number | null): number {
  return limit === null ? time : Math.min(time, limit)
}

/** A token never has higher limits than the token that created it. Null: those of the service. */
function getLower(own: number | null | undefined, creator = Infinity): number | null {
  const limit = Math.min(own ?? Infinity, creator)
  return limit === Infinity ? null : limit
}

export interface ListTokensDeps {
  readonly tokens: TokenStore
  readonly takeTurn: TakeTurn
}

const listTokensOperation = defineOperation({
  id: 'listTokens',
  sdk: 'tokens.list',
  method: 'GET',
  path: '/v1/user/token',
  tag: 'Tokens',
  summary: 'List tokens',
  description:
    'Returns the tokens of the user that are not revoked, oldest first, without the token values.',
  scope: 'tokens',
  response: listOf(Token),
  returns: 'The tokens that are not revoked, oldest first.',
  errors: [],
  handle: (deps: ListTokensDeps, caller) => listTokens(deps, caller),
})

/**
 * The tokens of the caller's user that are not revoked, oldest first, without the token values (interface: List
 * tokens), as JSON.
 */
export async function listTokens(deps: ListTokensDeps, caller: Caller): Promise<string | Readable> {
  const source = {
    read: (page: Pagination) => deps.tokens.list(caller, page),
    positionOf: ({ createdAt, tokenId }: AccessToken) => ({ createdAt, id: tokenId }),
    serialize: (tokens: readonly AccessToken[]) =>
      tokens.map((token) => stringify(serializeToken(token))),
  }
  return (await listInParts(source, ALL_ROWS, { ...deps, reauthenticate: caller.reauthenticate }))
    .json
}

const stringify = createSerializer(Token)

/** Serializes a token, without its value. */
export function serializeToken(token: AccessToken): Token {
  return {
    tokenId: token.tokenId,
    name: token.name,
    scopes: [...token.scopes],
    workspaceId: token.workspaceId,
    integrationAccountIds: token.accountIds == null ? null : [...token.accountIds],
    expiresAt: optionalTimestamp(token.expiresAt),
    createdAt: toTimestamp(token.createdAt),
    lastUsedAt: optionalTimestamp(token.lastUsedAt),
    revokedAt: optionalTimestamp(token.revokedAt),
  }
}

function optionalTimestamp(time: number | null): string | null {
  return time === null ? null : toTimestamp(time)
}

export interface DeleteTokenDeps {
  readonly database: Database
  readonly tokens: TokenStore
  readonly now: () => number
}

const deleteTokenOperation = defineOperation({
  id: 'deleteToken',
  sdk: 'tokens.delete',
  method: 'DELETE',
  path: '/v1/user/token/:tokenId',
  tag: 'Tokens',
  summary: 'Revoke a token and all tokens created with it',
  description:
    'Takes effect immediately. Users that were created with them keep their tokens. Repeated calls return the same response.',
  scope: 'tokens',
  params: Type.Object({ tokenId: IdOf<TokenId>({ description: 'Identifier of the token.' }) }),
  response: Token,
  returns: 'The revoked token.',
  errors: ['token_not_found'],
  audit: 'token.revoked',
  handle: (deps: DeleteTokenDeps, caller, { params }) => deleteToken(deps, caller, params.tokenId),
})

/**
 * Revokes a token and all tokens created with it, immediately. Repeated calls return the same response.
 *
 * @throws ApiError `token_not_found`; `insufficient_scope` if the token has scopes that the caller's lacks
 */
export async function deleteToken(
  deps: DeleteTokenDeps,
  caller: Caller,
  tokenId: TokenId,
): Promise<Token> {
  if (!isId('tok', tokenId)) throw notFound('token')
  const revoked = await deps.database.transaction(
    async (trx) => {
      const before = await deps.tokens.find(trx, caller, tokenId)
      if (before === undefined || before.revokedAt !== null) return before
      assertNotWider(caller, before)
      await deps.tokens.revoke(trx, caller, tokenId, deps.now())
      await record(trx, caller, deps.now(), {
        action: 'token.revoked',
        workspaceId: before.workspaceId,
        subject: tokenId,
      })
      return deps.tokens.find(trx, caller, tokenId)
    },
    { serializable: true },
  )
  if (revoked === undefined) throw notFound('token')
  return serializeToken(revoked)
}

/** A leaked token with few scopes must not be able to revoke the tokens of its owner. */
function assertNotWider(caller: Caller, token: AccessToken): void {
  for (const scope of token.scopes) assertScopeGranted(caller.scopes, scope)
}

export const TOKEN_OPERATIONS = [createTokenOperation, listTokensOperation, deleteTokenOperation]
