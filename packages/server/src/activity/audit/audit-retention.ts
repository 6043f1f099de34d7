import type { ChainId } from './audit-chain-row-store.ts'
import type { AuditRetentionStore } from './audit-retention-store.ts'

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
