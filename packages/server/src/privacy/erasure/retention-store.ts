import type { ExpressionBuilder } from 'kysely'
import { PUBLIC_ACCOUNT_COLUMNS } from '../../accounts/accounts/account-row-store.ts'
import { storeResponses } from '../../accounts/accounts/account-update-store.ts'
import type { LinkId } from '../../connect/links/link.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import { createUnusedBundlesStore } from './unused-bundles-store.ts'

/**
 * Deletes what has aged, a batch per call, and returns whether there may be more. `before` is in epoch milliseconds.
 * Background work: not on behalf of a caller.
 */
export function createRetentionStore(database: Database) {
  return {
    /** Tombstones of accounts, with their history. */
    deleteTombstones(before: number): Promise<boolean> {
      return database.transaction(async (trx) => {
        const rows = await trx
          .selectFrom('accounts')
          .select(['account_id', 'workspace_id'])
          .where('deleted_at', 'is not', null)
          .where('deleted_at', '<', before)
          .orderBy('deleted_at')
          .limit(BATCH)
          .execute()
        for (const { workspace_id, account_id } of rows) {
          await trx
            .deleteFrom('account_changes')
            .where('workspace_id', '=', workspace_id)
            .where('account_id', '=', account_id)
            .execute()
          await trx.deleteFrom('accounts').where('account_id', '=', account_id).execute()
        }
        return rows.length === BATCH
      })
    },

    /** Revoked and expired links. Their accounts stay, without a link. */
    deleteEndedLinks(before: number): Promise<boolean> {
      return database.transaction(async (trx) => {
        // Locked: a counter that is written between its deletion and that of its link would keep the link.
        const isPostgres = database.dialect === 'postgres'
        const revoked = await trx
          .selectFrom('links')
          .select('link_id')
          .where('revoked_at', 'is not', null)
          .where('revoked_at', '<', before)
          .limit(LINKS)
          .$if(isPostgres, (query) => query.forUpdate())
          .execute()
        const expired = await trx
          .selectFrom('links')
          .select('link_id')
          .where('expires_at', 'is not', null)
          .where('expires_at', '<', before)
          .where('revoked_at', 'is', null)
          .limit(LINKS)
          .$if(isPostgres, (query) => query.forUpdate())
          .execute()
        const linkIds = [...revoked, ...expired].map((row) => row.link_id)
        let room = BATCH
        for (const linkId of linkIds) {
          room -= await detachLink(trx, linkId, room)
          if (room <= 0) return true
          await trx.deleteFrom('link_aliases').where('link_id', '=', linkId).execute()
          await trx.deleteFrom('link_counters').where('link_id', '=', linkId).execute()
          await trx.deleteFrom('links').where('link_id', '=', linkId).execute()
        }
        return linkIds.length >= LINKS
      })
    },

    /**
     * Revoked and expired tokens, except those of the owner and of the environment, whose hashes prevent that a revoked
     * token becomes valid again. Those that other tokens were created with are deleted after them.
     */
    deleteRevokedTokens(before: number): Promise<boolean> {
      return database.transaction(async (trx) => {
        const tokens = trx
          .selectFrom('tokens')
          .select('token_id')
          .where('origin', 'in', ['minted', 'user'])
          .where(hasNoChild)
          .limit(BATCH)
        const revoked = await tokens
          .where('revoked_at', 'is not', null)
          .where('revoked_at', '<', before)
          .execute()
        const expired = await tokens
          .where('expires_at', 'is not', null)
          .where('expires_at', '<', before)
          .where('revoked_at', 'is', null)
          .execute()
        const ids = [...revoked, ...expired].map((row) => row.token_id)
        if (ids.length > 0) await trx.deleteFrom('tokens').where('token_id', 'in', ids).execute()
        return ids.length > 0
      })
    },

    ...createUnusedBundlesStore(database),
  }
}

export type RetentionStore = ReturnType<typeof createRetentionStore>

const BATCH = 100
const LINKS = 20

/** Removes a link from at most `limit` accounts, submissions and connect sessions, and returns from how many. */
async function detachLink(trx: Transaction, linkId: LinkId, limit: number): Promise<number> {
  const accounts = await trx
    .updateTable('accounts')
    .set({ link_id: null })
    .where('account_id', 'in', (eb) =>
      eb.selectFrom('accounts').select('account_id').where('link_id', '=', linkId).limit(limit),
    )
    .returning(PUBLIC_ACCOUNT_COLUMNS)
    .execute()
  await storeResponses(trx, accounts)
  const { numDeletedRows } = await trx
    .deleteFrom('submissions')
    .where('attempt_id', 'in', (eb) =>
      eb.selectFrom('submissions').select('attempt_id').where('link_id', '=', linkId).limit(limit),
    )
    .executeTakeFirst()
  const sessions = await trx
    .deleteFrom('connect_sessions')
    .where('connect_session_id', 'in', (eb) =>
      eb
        .selectFrom('connect_sessions')
        .select('connect_session_id')
        .where('link_id', '=', linkId)
        .limit(limit),
    )
    .executeTakeFirst()
  return Math.max(accounts.length, Number(numDeletedRows), Number(sessions.numDeletedRows))
}

function hasNoChild(eb: ExpressionBuilder<Tables, 'tokens'>) {
  return eb.not(
    eb.exists(
      eb
        .selectFrom('tokens as child')
        .select('child.token_id')
        .whereRef('child.parent_token_id', '=', 'tokens.token_id'),
    ),
  )
}
