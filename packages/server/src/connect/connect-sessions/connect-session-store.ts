import { type Kysely, sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Pagination } from '../../platform/http/pagination.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { ConnectSession, ConnectSessionId } from './connect-session.ts'
import { toConnectSession, toConnectSessionRow } from './connect-session-row-store.ts'

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
      return row && toConnectSession(row)
    },

    /** Sessions in any state, oldest first. Returns up to `limit + 1` of them. */
    async list(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      accountIdentifier: string | undefined,
      page: Pagination & { readonly limit: number },
    ): Promise<ConnectSession[]> {
      let query = database.read
        .selectFrom('connect_sessions')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .orderBy('created_at')
        .orderBy('connect_session_id')
        .limit(page.limit + 1)
      if (accountIdentifier !== undefined)
        query = query.where('account_identifier', '=', accountIdentifier)
      if (page.after !== undefined) {
        const { createdAt, id } = page.after
        query = query.where((eb) =>
          eb(
            eb.refTuple('created_at', 'connect_session_id'),
            '>',
            eb.tuple(createdAt, id as ConnectSessionId),
          ),
        )
      }
      const rows = await query.execute()
      return rows.map(toConnectSession)
    },

    async insert(
      trx: Kysely<Tables>,
      session: ConnectSession,
      tokenHash: Uint8Array,
    ): Promise<void> {
      const row = toConnectSessionRow(session, tokenHash)
      await trx.insertInto('connect_sessions').values(row).execute()
    },

    /** Whether the workspace has at least `count` sessions that can still be used at `now`. */
    async hasAtLeastOpen(
      trx: Kysely<Tables>,
      workspaceId: WorkspaceId,
      count: number,
      now: number,
    ): Promise<boolean> {
      const row = await trx
        .selectFrom('connect_sessions')
        .select('expires_at')
        .where('workspace_id', '=', workspaceId)
        .where('is_open', '=', sql.lit(1))
        .where('expires_at', '>', now)
        .offset(count - 1)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
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
      return row && toConnectSession(row)
    },
  }
}

export type ConnectSessionStore = ReturnType<typeof createConnectSessionStore>
