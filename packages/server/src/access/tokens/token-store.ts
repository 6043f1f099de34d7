import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { CursorPosition, Pagination } from '../../platform/http/pagination.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import { isAfter } from '../../platform/storage/portable-sql.ts'
import type { Tables, TokenRow } from '../../platform/storage/tables.ts'
import type { WorkspaceAccess } from '../auth/caller.ts'
import { isInAccessibleWorkspace } from '../auth/workspace-access-store.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { AccessToken, NewAccessToken, TokenId } from './token.ts'

/**
 * Tokens of the caller's user, without those through which members, their sessions and agents act. A token bound to a workspace sees only tokens
 * bound to the same workspace.
 */
export function createTokenStore(database: Database) {
  const visibleTokens = (db: Kysely<Tables>, access: WorkspaceAccess) => {
    const all = db
      .selectFrom('tokens')
      .selectAll()
      .where('user_id', '=', access.userId)
      .where('origin', 'not in', ['member', 'session', 'agent'])
    return access.boundWorkspaceId === null
      ? all
      : all.where('workspace_id', '=', access.boundWorkspaceId)
  }
  return {
    /** Those that are not revoked, oldest first. Returns up to `limit + 1` of them. */
    async list(access: WorkspaceAccess, { limit, after }: Pagination): Promise<AccessToken[]> {
      const live = visibleTokens(database.read, access).where('revoked_at', 'is', null)
      const query =
        access.boundWorkspaceId === null
          ? live
              .orderBy('created_at')
              .orderBy('token_id')
              .$if(after !== undefined, (query) =>
                query.where(isAfter(['created_at', 'token_id'], after as CursorPosition)),
              )
          : // The index of a workspace has no times; ids are in the order of their creation.
            live
              .orderBy('token_id')
              .$if(after !== undefined, (query) =>
                query.where('token_id', '>', after?.id as TokenId),
              )
      const rows = await (limit === undefined ? query : query.limit(limit + 1)).execute()
      return rows.map(toAccessToken)
    },

    async find(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      tokenId: TokenId,
    ): Promise<AccessToken | undefined> {
      const row = await visibleTokens(db, access).where('token_id', '=', tokenId).executeTakeFirst()
      return row && toAccessToken(row)
    },

    async insert(trx: Kysely<Tables>, token: NewAccessToken): Promise<void> {
      await trx.insertInto('tokens').values(toRow(token)).execute()
    },

    /**
     * The member token that the token of a console session belongs to: what a person creates must outlive their session, and end with their
     * membership.
     */
    async findMemberToken(trx: Kysely<Tables>, tokenId: TokenId): Promise<TokenId | undefined> {
      const row = await trx
        .selectFrom('tokens as session')
        .innerJoin('tokens as member', 'member.token_id', 'session.parent_token_id')
        .select('member.token_id')
        .where('session.token_id', '=', tokenId)
        .where('session.origin', '=', sql.lit('session'))
        .where('member.origin', '=', sql.lit('member'))
        .where('member.revoked_at', 'is', null)
        .executeTakeFirst()
      return row?.token_id
    },

    /** Whether the token is not revoked: a new token must not outlive its parent because of a race. */
    async isLive(trx: Kysely<Tables>, tokenId: TokenId): Promise<boolean> {
      const row = await trx
        .selectFrom('tokens')
        .select('token_id')
        .where('token_id', '=', tokenId)
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Whether a token with this hash exists, including revoked ones, which must not become valid again. */
    async exists(trx: Kysely<Tables>, hash: Uint8Array): Promise<boolean> {
      const row = await trx
        .selectFrom('tokens')
        .select('token_id')
        .where('token_hash', '=', hash)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Revokes the owner's tokens that came from an earlier environment, and all tokens created with them. */
    async revokeEnvironmentTokens(
      trx: Kysely<Tables>,
      userId: Id<'usr'>,
      now: number,
    ): Promise<void> {
      const rows = await trx
        .selectFrom('tokens')
        .select('token_id')
        .where('user_id', '=', userId)
        .where('origin', '=', sql.lit('environment'))
        .where('revoked_at', 'is', null)
        .execute()
      for (const row of rows) await revokeWithDescendants(trx, userId, row.token_id, now)
    },

    /** Revokes a token of the caller and, recursively, all tokens created with it. */
    revoke: (
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      tokenId: TokenId,
      now: number,
    ): Promise<number> => revokeWithDescendants(trx, access.userId, tokenId, now),

    /**
     * Marks at most `limit` tokens that expire within the notice period as recorded, and returns each with the workspace
     * of requests that name none. Each token is returned once, to one node. For background work, which has no caller.
     */
    async markExpiring(
      trx: Kysely<Tables>,
      now: number,
      limit: number,
    ): Promise<{ readonly token: AccessToken; readonly workspaceId: Id<'wsp'> | null }[]> {
      const rows = await trx
        .updateTable('tokens')
        .set({ expiry_recorded: 1 })
        .where('token_id', 'in', (eb) =>
          eb
            .selectFrom('tokens')
            .select('token_id')
            .where('expires_at', '<=', now + EXPIRY_NOTICE_MS)
            .where('expires_at', 'is not', null)
            .where('expiry_recorded', '=', sql.lit(0))
            .where('revoked_at', 'is', null)
            .orderBy('expires_at')
            .limit(limit),
        )
        // Again, because another node may have marked the row after the selection.
        .where('expiry_recorded', '=', sql.lit(0))
        .where('revoked_at', 'is', null)
        .returningAll()
        .returning((eb) => selectOldestWorkspace(eb).as('oldest_workspace_id'))
        .execute()
      return rows.map((row) => ({
        token: toAccessToken(row),
        workspaceId: row.workspace_id ?? row.oldest_workspace_id,
      }))
    },
  }
}

/** How long before its expiry a token is reported. Tokens that live no longer are not. */
const EXPIRY_NOTICE_MS = 7 * 24 * 60 * 60_000

function selectOldestWorkspace(eb: ExpressionBuilder<Tables, 'tokens'>) {
  return eb
    .selectFrom('workspaces')
    .select('workspaces.workspace_id')
    .whereRef('workspaces.user_id', '=', 'tokens.user_id')
    .where('workspaces.deleted_at', 'is', null)
    .orderBy('workspaces.created_at')
    .orderBy('workspaces.workspace_id')
    .limit(1)
}

export type TokenStore = ReturnType<typeof createTokenStore>

function toAccessToken(row: TokenRow): AccessToken {
  return {
    tokenId: row.token_id,
    userId: row.user_id,
    workspaceId: row.workspace_id,
    accountIds: (row.account_ids?.split(' ') as Id<'acc'>[] | undefined) ?? null,
    name: row.name,
    scopes: row.scopes.split(' '),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  }
}

function toRow(token: NewAccessToken): TokenRow {
  return {
    token_id: token.tokenId,
    token_hash: token.tokenHash,
    user_id: token.userId,
    workspace_id: token.workspaceId,
    parent_token_id: token.parentTokenId,
    name: token.name,
    scopes: token.scopes.join(' '),
    origin: token.origin,
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    revoked_at: token.revokedAt,
    last_used_at: token.lastUsedAt,
    expiry_recorded: isReportedBeforeExpiry(token) ? 0 : 1,
    reads_per_minute: token.readsPerMinute ?? null,
    writes_per_minute: token.writesPerMinute ?? null,
    account_ids: token.accountIds?.join(' ') ?? null,
  }
}

function isReportedBeforeExpiry({ createdAt, expiresAt }: AccessToken): boolean {
  return expiresAt !== null && expiresAt - createdAt > EXPIRY_NOTICE_MS
}

/** The row of a token of any user: for the operator. */
export function findStoredToken(
  trx: Kysely<Tables>,
  tokenId: TokenId,
): Promise<TokenRow | undefined> {
  return trx.selectFrom('tokens').selectAll().where('token_id', '=', tokenId).executeTakeFirst()
}

/**
 * Revokes a token and all that were created with it, but those of the users that were created with them only if `includeUsers` says so.
 *
 * @returns how many were not revoked before
 */
export async function revokeWithDescendants(
  trx: Kysely<Tables>,
  userId: Id<'usr'>,
  tokenId: TokenId,
  now: number,
  { includeUsers = false }: { readonly includeUsers?: boolean } = {},
): Promise<number> {
  const { numUpdatedRows } = await trx
    .withRecursive('family', (db) =>
      db
        .selectFrom('tokens')
        .select('token_id')
        .where('token_id', '=', tokenId)
        .where('user_id', '=', userId)
        // Without duplicates, so that a cycle of parents cannot make the family endless.
        .union((more) =>
          more
            .selectFrom('tokens')
            .innerJoin('family', 'family.token_id', 'tokens.parent_token_id')
            .select('tokens.token_id')
            .$if(!includeUsers, (query) => query.where('tokens.origin', '!=', 'user')),
        ),
    )
    .updateTable('tokens')
    .set({ revoked_at: now })
    .where('revoked_at', 'is', null)
    .where('token_id', 'in', (eb) => eb.selectFrom('family').select('token_id'))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** The users that were created with a token, or with one that was created with it, and that have a token which is not revoked. */
export async function listCreatedUsers(
  trx: Kysely<Tables>,
  tokenId: TokenId,
): Promise<Id<'usr'>[]> {
  const rows = await trx
    .withRecursive('family', (db) =>
      db
        .selectFrom('tokens')
        .select('token_id')
        .where('token_id', '=', tokenId)
        .union((more) =>
          more
            .selectFrom('tokens')
            .innerJoin('family', 'family.token_id', 'tokens.parent_token_id')
            .select('tokens.token_id'),
        ),
    )
    .selectFrom('tokens')
    .select('user_id')
    .distinct()
    .where('token_id', 'in', (eb) => eb.selectFrom('family').select('token_id'))
    .where('revoked_at', 'is', null)
    .where('user_id', 'not in', (eb) =>
      eb.selectFrom('tokens as root').select('root.user_id').where('root.token_id', '=', tokenId),
    )
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Which of these accounts exist in the workspace and are not deleted. */
export async function listLiveAccountIds(
  trx: Kysely<Tables>,
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
  accountIds: readonly Id<'acc'>[],
): Promise<ReadonlySet<string>> {
  if (accountIds.length === 0) return new Set()
  const rows = await trx
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', 'in', accountIds)
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .where(isInAccessibleWorkspace(access, 'accounts'))
    .execute()
  return new Set(rows.map((row) => row.account_id))
}
