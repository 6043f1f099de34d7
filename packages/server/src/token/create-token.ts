import { recordAudit } from '../audit/audit-store.ts'
import { hashAccessToken, newAccessToken } from '../caller/access-token.ts'
import type { Caller } from '../caller/caller.ts'
import { defaultScopes, requireGranted } from '../caller/scopes.ts'
import { ApiError, insufficientScope } from '../errors.ts'
import { toTimestamp } from '../http/schema.ts'
import type { Database } from '../storage/database.ts'
import { newId } from '../storage/id.ts'
import type { TokenRow } from '../storage/tables.ts'
import { resolveWorkspace } from '../workspace/resolve-workspace.ts'
import type { WorkspaceStore } from '../workspace/workspace-store.ts'
import { type CreateToken, DEFAULT_SECONDS, type NewToken } from './token.ts'
import type { TokenStore } from './token-store.ts'

export interface CreateTokenDeps {
  readonly database: Database
  readonly tokens: TokenStore
  readonly workspaces: WorkspaceStore
  readonly now: () => number
}

/**
 * Mints a token that is no wider than the caller's: its scopes are among the caller's, it is bound to the caller's
 * workspace when that is bound, and it ends with the caller's token, by time and by revocation.
 *
 * @throws ApiError `insufficient_scope`, `workspace_not_accessible`
 */
export async function createToken(
  deps: CreateTokenDeps,
  caller: Caller,
  input: CreateToken,
): Promise<NewToken> {
  const scopes = narrowerScopes(caller, input.scopes ?? undefined)
  const workspaceId =
    input.workspaceId == null
      ? caller.boundTo
      : await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  const token = newAccessToken()
  const now = deps.now()
  const row = tokenRow(token, {
    user_id: caller.userId,
    workspace_id: workspaceId,
    parent_token_id: caller.tokenId,
    name: input.name,
    scopes: scopes.join(' '),
    origin: 'minted',
    created_at: now,
    expires_at: earlier(now + (input.seconds ?? DEFAULT_SECONDS) * 1_000, caller.expiresAt),
  })
  await deps.database.transaction(
    async (trx) => {
      if (!(await deps.tokens.isLive(trx, caller.tokenId)))
        throw new ApiError('token_invalid', 'This access token is not valid.')
      await deps.tokens.insert(trx, row)
      await recordAudit(trx, caller, now, {
        action: 'token.created',
        workspaceId,
        subject: row.token_id,
        detail: { scopes },
      })
    },
    { serializable: true },
  )
  return toNewToken(row, token)
}

/** A row for a new token; only its hash is kept. */
export function tokenRow(
  token: string,
  facts: Omit<TokenRow, 'token_id' | 'token_hash' | 'revoked_at' | 'last_used_at'>,
): TokenRow {
  return {
    ...facts,
    token_id: newId('tok', facts.created_at),
    token_hash: hashAccessToken(token),
    revoked_at: null,
    last_used_at: null,
  }
}

function toNewToken(row: TokenRow, token: string): NewToken {
  return {
    tokenId: row.token_id,
    token,
    name: row.name,
    scopes: row.scopes.split(' '),
    workspaceId: row.workspace_id,
    expiresAt: row.expires_at === null ? null : toTimestamp(row.expires_at),
  }
}

function narrowerScopes(caller: Caller, wanted: readonly string[] | undefined): string[] {
  if (wanted === undefined) {
    const usual = defaultScopes(caller.scopes)
    if (usual.length === 0) throw insufficientScope('read or write')
    return usual
  }
  for (const scope of wanted) requireGranted(caller.scopes, scope)
  return [...wanted]
}

function earlier(time: number, limit: number | null): number {
  return limit === null ? time : Math.min(time, limit)
}
