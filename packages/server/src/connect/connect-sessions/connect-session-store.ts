import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountId, Tags } from '../../accounts/accounts/account.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import type { BoundedPage } from '../../platform/http/pagination.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import { hasAtLeast, isAfter } from '../../platform/storage/portable-sql.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import {
  CONNECT_SESSION,
  type ConnectSession,
  type ConnectSessionId,
  type ConnectSessionStatus,
} from './connect-session.ts'

/** Connect sessions of the workspaces that the caller can access. */
export function createConnectSessionStore(database: Database) {
  return {
    /** A session in any state. */
    async find(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      connectSessionId: ConnectSessionId,
    ): Promise<ConnectSession | undefined> {
      const row = await db
        .selectFrom('connect_sessions')
        .selectAll()
        .where('connect_session_id', '=', connectSessionId)
        .where(isInAccessibleWorkspace(access, 'connect_sessions'))
        .executeTakeFirst()
      return row && CONNECT_SESSION.fromRow(row)
    },

    /** Sessions in any state, oldest first unless the filter has another order. Returns up to `limit + 1` of them. */
    async list(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      { accountIdentifier, linkId, status, order = 'createdAt', now }: ConnectSessionFilter,
      page: BoundedPage,
    ): Promise<ConnectSession[]> {
      const direction = order === 'createdAt' ? 'asc' : 'desc'
      let query = database.read
        .selectFrom('connect_sessions')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .orderBy('created_at', direction)
        .orderBy('connect_session_id', direction)
        .limit(page.limit + 1)
      if (linkId !== undefined) query = query.where('link_id', '=', linkId)
      if (status !== undefined) query = query.where(hasStatus(status, now))
      if (accountIdentifier !== undefined)
        query = query.where('account_identifier', '=', accountIdentifier)
      if (page.after !== undefined)
        query = query.where(isAfter(['created_at', 'connect_session_id'], page.after, direction))
      const rows = await query.execute()
      return rows.map(CONNECT_SESSION.fromRow)
    },

    async insert(
      trx: Kysely<Tables>,
      session: ConnectSession,
      tokenHash: Uint8Array,
    ): Promise<void> {
      const row = { ...CONNECT_SESSION.toNewRow(session), token_hash: tokenHash }
      await trx.insertInto('connect_sessions').values(row).execute()
    },

    /** Whether the workspace has at least `count` sessions that can still be used at `now`. */
    hasAtLeastOpen(
      trx: Kysely<Tables>,
      workspaceId: WorkspaceId,
      count: number,
      now: number,
    ): Promise<boolean> {
      const open = trx
        .selectFrom('connect_sessions')
        .select('expires_at')
        .where('workspace_id', '=', workspaceId)
        .where('is_open', '=', sql.lit(1))
        .where('expires_at', '>', now)
      return hasAtLeast(open, count)
    },

    /** Revokes a session; undefined if it has ended already. */
    async revoke(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      connectSessionId: ConnectSessionId,
      now: number,
    ): Promise<ConnectSession | undefined> {
      const row = await trx
        .updateTable('connect_sessions')
        .set({ revoked_at: now, updated_at: now, is_open: 0, sealed_config: null })
        .where('connect_session_id', '=', connectSessionId)
        .where(isInAccessibleWorkspace(access, 'connect_sessions'))
        .where('is_open', '=', sql.lit(1))
        .where('expires_at', '>', now)
        .returningAll()
        .executeTakeFirst()
      return row && CONNECT_SESSION.fromRow(row)
    },
  }
}

/** Which sessions to list. Absent members do not restrict the list. */
export interface ConnectSessionFilter {
  readonly accountIdentifier?: string | undefined
  readonly linkId?: Id<'lnk'> | undefined
  readonly status?: ConnectSessionStatus | undefined
  /** Default: oldest first. */
  readonly order?: (typeof CONNECT_SESSION_ORDERS)[number] | undefined
  /** Epoch milliseconds, for `status`. */
  readonly now: number
}

export const CONNECT_SESSION_ORDERS = ['createdAt', '-createdAt'] as const

/** The sessions for which `getStatus` is this status. */
function hasStatus(status: ConnectSessionStatus, now: number) {
  return (eb: ExpressionBuilder<Tables, 'connect_sessions'>) => {
    if (status === 'completed') return eb('completed_at', 'is not', null)
    const notCompleted = eb('completed_at', 'is', null)
    if (status === 'revoked') return eb.and([notCompleted, eb('revoked_at', 'is not', null)])
    const notEnded = eb.and([notCompleted, eb('revoked_at', 'is', null)])
    if (status === 'expired') return eb.and([notEnded, eb('expires_at', '<=', now)])
    const isOpened = eb('opened_at', status === 'opened' ? 'is not' : 'is', null)
    return eb.and([notEnded, eb('expires_at', '>', now), isOpened])
  }
}

export type ConnectSessionStore = ReturnType<typeof createConnectSessionStore>

/**
 * Connect sessions as seen by browsers, which are no callers. The token (160 random bits) gives access to a session until a
 * person presses the button; from then on the secret of that browser (256 random bits), whose hash the caller compares.
 */
export function createVisitedSessionStore(database: Database) {
  const sessions = () => database.read.selectFrom('connect_sessions').selectAll()
  return {
    /** A session in any state. */
    async findByToken(tokenHash: Uint8Array): Promise<ConnectSession | undefined> {
      const row = await sessions().where('token_hash', '=', tokenHash).executeTakeFirst()
      return row && CONNECT_SESSION.fromRow(row)
    },

    /** The same by id, for a browser that the session is bound to: the caller compares the hash of its secret. */
    async find(connectSessionId: ConnectSessionId): Promise<ConnectSession | undefined> {
      const row = await sessions()
        .where('connect_session_id', '=', connectSessionId)
        .executeTakeFirst()
      return row && CONNECT_SESSION.fromRow(row)
    },

    /** The tags that its accounts get. */
    async findTags(trx: Kysely<Tables>, connectSessionId: ConnectSessionId): Promise<Tags> {
      const row = await trx
        .selectFrom('connect_sessions')
        .select('tags')
        .where('connect_session_id', '=', connectSessionId)
        .executeTakeFirst()
      return row === undefined ? {} : JSON.parse(row.tags)
    },

    /** Binds an unopened session to a browser; undefined if another one was faster, or the session has ended. */
    async bind(
      trx: Kysely<Tables>,
      connectSessionId: ConnectSessionId,
      browserHash: Uint8Array,
      now: number,
    ): Promise<ConnectSession | undefined> {
      const row = await trx
        .updateTable('connect_sessions')
        .set({ browser_hash: browserHash, opened_at: now, updated_at: now })
        .where('connect_session_id', '=', connectSessionId)
        .where('browser_hash', 'is', null)
        .where('is_open', '=', sql.lit(1))
        .where('expires_at', '>', now)
        .returningAll()
        .executeTakeFirst()
      return row && CONNECT_SESSION.fromRow(row)
    },

    /**
     * Adds an account to a session that is neither revoked nor completed, which completes it if it has all; undefined
     * otherwise. An attempt that started in time may end after the session has expired.
     */
    async addAccount(
      trx: Kysely<Tables>,
      connectSessionId: ConnectSessionId,
      accountId: AccountId,
      now: number,
    ): Promise<ConnectSession | undefined> {
      // The first write of the row, so that the account of a concurrent transaction is not lost.
      const row = await trx
        .updateTable('connect_sessions')
        .set({ updated_at: now, last_code: null, last_code_at: null })
        .where('connect_session_id', '=', connectSessionId)
        .where('revoked_at', 'is', null)
        .where('completed_at', 'is', null)
        .returningAll()
        .executeTakeFirst()
      if (row === undefined) return undefined
      const session = CONNECT_SESSION.fromRow(row)
      // A portal may reconnect an account that it has connected.
      const accountIds = [...new Set([...session.accountIds, accountId])]
      const isComplete = session.mode !== 'manage' && accountIds.length >= session.maxAccounts
      const ended = { completed_at: now, is_open: 0, sealed_config: null } as const
      const updated = await trx
        .updateTable('connect_sessions')
        .set({ account_ids: JSON.stringify(accountIds), ...(isComplete ? ended : {}) })
        .where('connect_session_id', '=', connectSessionId)
        .returningAll()
        .executeTakeFirstOrThrow()
      return CONNECT_SESSION.fromRow(updated)
    },

    /** Stores the app that was entered in a session, once, while it can be used. Undefined if it cannot, or has one. */
    async setOAuthApp(
      trx: Kysely<Tables>,
      connectSessionId: ConnectSessionId,
      oauthAppId: OAuthAppId,
      now: number,
    ): Promise<ConnectSession | undefined> {
      const row = await trx
        .updateTable('connect_sessions')
        .set({ oauth_app_id: oauthAppId, updated_at: now })
        .where('connect_session_id', '=', connectSessionId)
        .where('oauth_app_id', 'is', null)
        .where('is_open', '=', sql.lit(1))
        .where('expires_at', '>', now)
        .returningAll()
        .executeTakeFirst()
      return row && CONNECT_SESSION.fromRow(row)
    },

    /** Notes why an attempt failed. */
    async noteFailure(
      trx: Kysely<Tables>,
      connectSessionId: ConnectSessionId,
      code: string,
      now: number,
    ): Promise<void> {
      await trx
        .updateTable('connect_sessions')
        .set({ last_code: code, last_code_at: now, updated_at: now })
        .where('connect_session_id', '=', connectSessionId)
        .where('is_open', '=', sql.lit(1))
        .execute()
    },

    /**
     * Marks at most `limit` sessions that expired before `now` as ended, and returns them. Each is returned
     * once, to one node. For background work, which has no caller.
     */
    async markExpired(trx: Kysely<Tables>, now: number, limit: number): Promise<ConnectSession[]> {
      const rows = await trx
        .updateTable('connect_sessions')
        .set({ is_open: 0, sealed_config: null })
        .where('connect_session_id', 'in', (eb) =>
          eb
            .selectFrom('connect_sessions')
            .select('connect_session_id')
            .where('expires_at', '<=', now)
            .where('is_open', '=', sql.lit(1))
            .orderBy('expires_at')
            .limit(limit),
        )
        // Again, because another node may have marked the row after the selection.
        .where('is_open', '=', sql.lit(1))
        .returningAll()
        .execute()
      return rows.map(CONNECT_SESSION.fromRow)
    },

    /** Deletes at most `limit` sessions that ended and expired before `expiredBefore`. Returns how many. */
    async sweep(trx: Kysely<Tables>, expiredBefore: number, limit: number): Promise<number> {
      const { numDeletedRows } = await trx
        .deleteFrom('connect_sessions')
        .where('connect_session_id', 'in', (eb) =>
          eb
            .selectFrom('connect_sessions')
            .select('connect_session_id')
            .where('is_open', '=', sql.lit(0))
            .where('expires_at', '<', expiredBefore)
            .limit(limit),
        )
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

export type VisitedSessionStore = ReturnType<typeof createVisitedSessionStore>
