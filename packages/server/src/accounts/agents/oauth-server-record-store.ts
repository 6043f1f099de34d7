import type { Kysely } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import { hasAtLeast } from '../../platform/storage/portable-sql.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { AgentSessionId } from './agent-session.ts'
import {
  OAUTH_SERVER_RECORD,
  type OAuthServerRecord,
  type RecordPayload,
} from './oauth-server-record.ts'

/** A record, by the hash of its ID: only who has the ID can use it, so no other access is checked. */
type RecordKey = Pick<OAuthServerRecord, 'kind' | 'idHash'>

/** How often a record can be used, and for how long after the first time. */
export interface UseLimit {
  readonly uses: number
  readonly graceMs: number
}

/** What the authorization server of MCP clients has to remember, on all nodes. */
export function createOAuthServerRecordStore(database: Database) {
  return {
    /** A record that has not expired, used or not. */
    async find({ kind, idHash }: RecordKey, now: number): Promise<OAuthServerRecord | undefined> {
      const row = await database.read
        .selectFrom('oauth_server_records')
        .selectAll()
        .where('kind', '=', kind)
        .where('id_hash', '=', idHash)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row && OAUTH_SERVER_RECORD.fromRow(row)
    },

    /** Stores a record, or replaces its payload. */
    async upsert(trx: Transaction, record: OAuthServerRecord): Promise<void> {
      const { payload, expires_at } = OAUTH_SERVER_RECORD.toNewRow(record)
      await trx
        .insertInto('oauth_server_records')
        .values(OAUTH_SERVER_RECORD.toNewRow(record))
        .onConflict((conflict) =>
          conflict.columns(['kind', 'id_hash']).doUpdateSet({ payload, expires_at }),
        )
        .execute()
    },

    /** Stores a record. @returns whether there was none */
    async insert(trx: Transaction, record: OAuthServerRecord): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('oauth_server_records')
        .values(OAUTH_SERVER_RECORD.toNewRow(record))
        .onConflict((conflict) => conflict.columns(['kind', 'id_hash']).doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows === 1n
    },

    /** Whether a session has at least so many records, expired ones included. */
    hasAtLeast(trx: Transaction, agentSessionId: AgentSessionId, count: number): Promise<boolean> {
      const ofSession = trx
        .selectFrom('oauth_server_records')
        .select('kind')
        .where('agent_session_id', '=', agentSessionId)
      return hasAtLeast(ofSession, count)
    },

    /** Uses a record, as often as the limit says, exactly, on however many nodes. @returns whether it could be used */
    consume(
      { kind, idHash }: RecordKey,
      { uses, graceMs }: UseLimit,
      now: number,
    ): Promise<boolean> {
      return database.transaction(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('oauth_server_records')
          .set((eb) => ({
            uses: eb('uses', '+', 1),
            consumed_at: eb.fn.coalesce('consumed_at', eb.val(now)),
          }))
          .where('kind', '=', kind)
          .where('id_hash', '=', idHash)
          .where('uses', '<', uses)
          .where((eb) =>
            eb.or([eb('consumed_at', 'is', null), eb('consumed_at', '>', now - graceMs)]),
          )
          .executeTakeFirst()
        return numUpdatedRows > 0n
      })
    },

    async delete({ kind, idHash }: RecordKey): Promise<void> {
      await database.transaction((trx) =>
        trx
          .deleteFrom('oauth_server_records')
          .where('kind', '=', kind)
          .where('id_hash', '=', idHash)
          .execute(),
      )
    },

    /** Lets a record live at least as long. */
    async extend(trx: Transaction, { kind, idHash }: RecordKey, expiresAt: number): Promise<void> {
      await trx
        .updateTable('oauth_server_records')
        .set({ expires_at: expiresAt })
        .where('kind', '=', kind)
        .where('id_hash', '=', idHash)
        .where('expires_at', '<', expiresAt)
        .execute()
    },

    /** An access token that is neither expired nor revoked, with its session. */
    async findAccess(idHash: Uint8Array, now: number): Promise<OAuthAccess | undefined> {
      const row = await database.read
        .selectFrom('oauth_server_records')
        .innerJoin(
          'agent_sessions',
          'agent_sessions.agent_session_id',
          'oauth_server_records.agent_session_id',
        )
        .innerJoin('tokens', 'tokens.token_id', 'agent_sessions.token_id')
        .select(['payload', 'oauth_server_records.expires_at', 'tokens.token_id', 'tokens.user_id'])
        .select(['agent_sessions.workspace_id', 'agent_sessions.account_identifier'])
        .where('kind', '=', 'AccessToken')
        .where('id_hash', '=', idHash)
        .where('oauth_server_records.expires_at', '>', now)
        .where('agent_sessions.expires_at', '>', now)
        .where('tokens.revoked_at', 'is', null)
        .executeTakeFirst()
      if (row === undefined || row.account_identifier === null) return undefined
      return {
        payload: JSON.parse(row.payload),
        expiresAt: row.expires_at,
        tokenId: row.token_id,
        userId: row.user_id,
        workspaceId: row.workspace_id,
        accountIdentifier: row.account_identifier,
      }
    },

    /** Deletes records that expired before, and returns how many. Background work: not on behalf of a caller. */
    deleteExpired(before: number, limit: number): Promise<number> {
      return database.transaction(async (trx) => {
        const rows = await trx
          .selectFrom('oauth_server_records')
          .select(['kind', 'id_hash'])
          .where('expires_at', '<', before)
          .orderBy('expires_at')
          .limit(limit)
          .execute()
        if (rows.length === 0) return 0
        const { numDeletedRows } = await trx
          .deleteFrom('oauth_server_records')
          .where((eb) => eb.or(rows.map((row) => eb.and(row))))
          .executeTakeFirst()
        return Number(numDeletedRows)
      })
    },
  }
}

export type OAuthServerRecordStore = ReturnType<typeof createOAuthServerRecordStore>

/** A valid access token, with the session that it belongs to. */
export interface OAuthAccess {
  readonly payload: RecordPayload
  readonly expiresAt: number
  readonly tokenId: Id<'tok'>
  readonly userId: Id<'usr'>
  readonly workspaceId: WorkspaceId
  readonly accountIdentifier: string
}

/** Deletes the codes, tokens and grants of sessions. */
export async function deleteRecordsOfSessions(
  db: Kysely<Tables>,
  agentSessionIds: readonly AgentSessionId[],
): Promise<void> {
  await db
    .deleteFrom('oauth_server_records')
    .where('agent_session_id', 'in', agentSessionIds)
    .execute()
}
