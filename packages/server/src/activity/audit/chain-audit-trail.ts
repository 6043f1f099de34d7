import type { Log } from '../../platform/http/log.ts'
import { type Rounds, startRounds } from '../../platform/rounds.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { ChainId } from './audit-chain-row-store.ts'
import type { AuditChainStore } from './audit-chain-store.ts'
import { CHECKPOINT_MS, type CheckpointSigner } from './checkpoint.ts'

export interface ChainAuditTrailDeps {
  readonly database: Pick<Database, 'onCommit'>
  readonly auditChains: AuditChainStore
  readonly readAuditKey: () => Promise<CheckpointSigner>
  readonly log: Log
  readonly now: () => number
}

/**
 * Chains the entries of the audit trail within a second after each commit of this process, and every second those that other
 * processes left, and publishes checkpoints. Several processes may do so on one database.
 */
export function startChainingAuditTrail(deps: ChainAuditTrailDeps): Rounds {
  return startRounds({
    round: () => chainAll(deps),
    onError: (error) => deps.log.warn({ err: error }, 'the audit trail could not be chained'),
    pollMs: POLL_MS,
    pauseMs: PAUSE_MS,
    afterCommits: { database: deps.database, delayMs: DELAY_MS },
  })
}

/** Chains one batch per workspace. Returns whether there is more to do. */
async function chainAll(deps: ChainAuditTrailDeps): Promise<boolean> {
  const { auditChains, now } = deps
  const grown = await auditChains.listUnchained(CHAINS)
  const due = await auditChains.listDueCheckpoints(now() - CHECKPOINT_MS, CHAINS)
  let hasMore = grown.length >= CHAINS || due.length === CHAINS
  for (const chainId of new Set([...grown, ...due]))
    if ((await chainOne(deps, chainId)) === BATCH) hasMore = true
  return hasMore
}

/** Returns the number of entries. The key is read, and created, only when there is something to sign. */
async function chainOne(deps: ChainAuditTrailDeps, chainId: ChainId): Promise<number> {
  const { auditChains, now, log } = deps
  const batch = await auditChains.chain(chainId, { limit: BATCH, now: now() })
  if (!batch.isCheckpointDue) return batch.count
  const signer = await deps.readAuditKey()
  const { count, checkpoint } = await auditChains.chain(chainId, {
    limit: BATCH,
    now: now(),
    signer,
  })
  if (checkpoint !== undefined) log.info({ checkpoint }, 'audit checkpoint')
  return Math.max(batch.count, count)
}

const DELAY_MS = 250
const POLL_MS = 1_000
const BATCH = 200
const CHAINS = 100
/** Between two rounds, for the requests that wait: the entries of an earlier version may be many. */
const PAUSE_MS = 20
