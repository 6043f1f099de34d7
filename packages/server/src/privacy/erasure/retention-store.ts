import type { ExpressionBuilder } from 'kysely'
import {
  PUBLIC_ACCOUNT_COLUMNS,
  storeResponses,
} from '../../accounts/accounts/account-row-store.ts'
import { deleteRecordsOfSessions } from '../../accounts/agents/oauth-server-record-store.ts'
import type { LinkId } from '../../connect/links/link.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { isAfter } from '../../platform/storage/portable-sql.ts'
import type { Tables } from '../../platform/storage/tables.ts'

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
          .where('origin', 'in', ['minted', 'user', 'agent'])
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
        if (ids.length === 0) return false
        const sessions = await trx
          .deleteFrom('agent_sessions')
          .where('token_id', 'in', ids)
          .returning('agent_session_id')
          .execute()
        const sessionIds = sessions.map((row) => row.agent_session_id)
        if (sessionIds.length > 0) await deleteRecordsOfSessions(trx, sessionIds)
        await trx.deleteFrom('tokens').where('token_id', 'in', ids).execute()
        return true
      })
    },

    ...createUnusedBundlesStore(database),
  }
}

type RetentionStore = ReturnType<typeof createRetentionStore>

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

/** Deletes bundles that nothing refers to. Background work: not on behalf of a caller. */
function createUnusedBundlesStore(database: Database) {
  return {
    /**
     * Bundles stored before `before` that no definition, pin, earlier version, catalogue or preview refers to. Reads a
     * page of bundles after `after`; returns where the next page starts.
     */
    deleteUnusedBundles(
      before: number,
      after: BundlePosition,
    ): Promise<BundlePosition | undefined> {
      return database.transaction(async (trx) => {
        const rows = await trx
          .selectFrom('bundles')
          .select(['sha256', 'created_at'])
          .where('created_at', '<', before)
          .where(
            isAfter(['created_at', 'sha256'], { createdAt: after.createdAt, id: after.sha256 }),
          )
          .orderBy('created_at')
          .orderBy('sha256')
          .limit(BUNDLES)
          .execute()
        for (const { sha256 } of rows)
          if (!(await isReferenced(trx, sha256)))
            await trx.deleteFrom('bundles').where('sha256', '=', sha256).execute()
        const last = rows.length === BUNDLES ? rows.at(-1) : undefined
        return last && { createdAt: Number(last.created_at), sha256: last.sha256 }
      })
    },
  }
}

/** A position in the list of bundles, oldest first. */
interface BundlePosition {
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly sha256: string
}

const BUNDLES = 20

const BUNDLE_REFERENCES = [
  'definitions',
  'definition_pins',
  'previous_versions',
  'catalogue_versions',
  'previews',
] as const

async function isReferenced(trx: Transaction, sha256: string): Promise<boolean> {
  for (const table of BUNDLE_REFERENCES) {
    const row = await trx
      .selectFrom(table)
      .select('bundle_sha256')
      .where('bundle_sha256', '=', sha256)
      .limit(1)
      .executeTakeFirst()
    if (row !== undefined) return true
  }
  return false
}

/** For how many days ended things are retained; undefined: for ever. */
export interface RetentionDays {
  readonly tombstoneDays: number | undefined
  readonly endedLinkDays: number | undefined
  readonly revokedTokenDays: number | undefined
  readonly unusedBundleDays: number | undefined
}

export interface DeleteAgedDataDeps {
  readonly retention: RetentionStore
  readonly now: () => number
}

/** Background work: deletes what is retained for a limited time, in small batches. */
export async function deleteAgedData(
  { retention, now }: DeleteAgedDataDeps,
  { tombstoneDays, endedLinkDays, revokedTokenDays, unusedBundleDays }: RetentionDays,
): Promise<void> {
  const sweep = async (days: number | undefined, work: (before: number) => Promise<boolean>) => {
    if (days === undefined) return
    for (let batch = 0; batch < MAX_BATCHES; batch += 1)
      if (!(await work(now() - days * DAY_MS))) return
  }
  await sweep(tombstoneDays, retention.deleteTombstones)
  await sweep(endedLinkDays, retention.deleteEndedLinks)
  await sweep(revokedTokenDays, retention.deleteRevokedTokens)
  if (unusedBundleDays !== undefined) {
    let position: BundlePosition | undefined = { createdAt: 0, sha256: '' }
    while (position !== undefined)
      position = await retention.deleteUnusedBundles(now() - unusedBundleDays * DAY_MS, position)
  }
}

const DAY_MS = 24 * 60 * 60_000
/** The next round continues. */
const MAX_BATCHES = 10
