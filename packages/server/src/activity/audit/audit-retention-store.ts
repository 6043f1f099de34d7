import { sql } from 'kysely'
import { lockAuditChain } from '../../platform/storage/audit-inbox.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { type ChainId, ofChain } from './audit-chain-store.ts'

/** Deletes the start of the hash chains. Background work: not on behalf of a caller. */
export function createAuditRetentionStore(database: Database) {
  return {
    /** Chains, in the order of their workspaces, from the start or after one of them. */
    async listChains(after: ChainId | undefined, limit: number): Promise<ChainId[]> {
      const rows = await database.read
        .selectFrom('audit_chains')
        .select('workspace_id')
        .$if(after !== undefined, (query) =>
          query.where(sql<boolean>`workspace_id > ${after ?? ''}`),
        )
        .orderBy('workspace_id')
        .limit(limit)
        .execute()
      return rows.map(({ workspace_id }) => workspace_id || null)
    },

    /** Whether the oldest entry of a chain is from before `before`, in epoch milliseconds. */
    async isOlder(chainId: ChainId, before: number): Promise<boolean> {
      const oldest = await database.read
        .selectFrom('audit_events')
        .select('at')
        .where(ofChain(chainId))
        .where('sequence', 'is not', null)
        .orderBy('sequence')
        .limit(1)
        .executeTakeFirst()
      return oldest !== undefined && oldest.at < before
    },

    /**
     * Deletes at most `limit` of the oldest entries from before `before`, in epoch milliseconds, and returns how many. The
     * hash of the last one becomes the base of the chain.
     */
    deleteOld(chainId: ChainId, before: number, limit: number): Promise<number> {
      return database.transaction((trx) => deleteOldEntries(trx, chainId, before, limit))
    },
  }
}

export type AuditRetentionStore = ReturnType<typeof createAuditRetentionStore>

async function deleteOldEntries(
  trx: Transaction,
  chainId: ChainId,
  before: number,
  limit: number,
): Promise<number> {
  const { oldest } = await lockAuditChain(trx, chainId)
  const rows = await trx
    .selectFrom('audit_events')
    .select(['at', 'sequence', 'hash'])
    .where(ofChain(chainId))
    .where('sequence', '>=', oldest)
    .orderBy('sequence')
    .limit(limit)
    .execute()
  const count = rows.findIndex(({ at }) => at >= before)
  const last = rows.at(count === -1 ? rows.length - 1 : count - 1)
  if (count === 0 || last === undefined) return 0
  await trx
    .deleteFrom('audit_events')
    .where(ofChain(chainId))
    .where('sequence', '>=', oldest)
    .where('sequence', '<=', last.sequence)
    .execute()
  await trx
    .updateTable('audit_chains')
    .set({ oldest: Number(last.sequence) + 1, base_hash: last.hash ?? '' })
    .where('workspace_id', '=', chainId ?? '')
    .execute()
  return count === -1 ? rows.length : count
}

export interface AuditRetentionDeps {
  readonly store: AuditRetentionStore
  readonly now: () => number
}

/**
 * Creates background work that deletes entries of the audit trail that are older than this many days, from the start of
 * each chain, at most once an hour. Without days it deletes nothing.
 */
export function createAuditRetention(
  { store, now }: AuditRetentionDeps,
  days: number | undefined,
): () => Promise<void> {
  let nextAt = 0
  return async () => {
    if (days === undefined || now() < nextAt) return
    nextAt = now() + INTERVAL_MS
    const before = now() - days * DAY_MS
    let batches = 0
    let after: ChainId | undefined
    do {
      const chainIds = await store.listChains(after, CHAINS)
      for (const chainId of chainIds)
        while (await store.isOlder(chainId, before)) {
          await store.deleteOld(chainId, before, BATCH)
          batches += 1
          // The next round continues.
          if (batches === MAX_BATCHES) {
            nextAt = 0
            return
          }
        }
      after = chainIds.length === CHAINS ? chainIds.at(-1) : undefined
    } while (after !== undefined)
  }
}

const DAY_MS = 24 * 60 * 60_000
const INTERVAL_MS = 60 * 60_000
const CHAINS = 100
const BATCH = 500
const MAX_BATCHES = 50
